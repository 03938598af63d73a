/* berth bench --locks: the locks of the catalogue on real threads, as tables or as JSON. */
#include "bench_report.h"

#include "bench/locks.h"

#include <math.h>

static json_t *spread_json(const struct bench_spread *spread)
{
    return isfinite(spread->median) ? json_real(spread->median) : json_null();
}

static json_t *quartiles_json(const struct bench_spread *spread)
{
    return isfinite(spread->median) ? json_pack("[f, f]", spread->low, spread->high) : json_null();
}

static json_t *row_json(const struct bench_lock_row *row)
{
    return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:i, s:b}", "lock",
                     row->lock, "threads", (int)row->threads, "ns_per_pair",
                     spread_json(&row->ns_per_pair), "ns_per_pair_quartiles",
                     quartiles_json(&row->ns_per_pair), "ratio", spread_json(&row->ratio),
                     "ratio_quartiles", quartiles_json(&row->ratio), "fairness",
                     spread_json(&row->fairness), "least", spread_json(&row->least), "entries",
                     (json_int_t)row->entries, "violations", (json_int_t)row->violations, "samples",
                     (int)row->samples, "stuck", row->stuck);
}

static int print_json(const struct bench_locks_report *report, const struct bench_locks_plan *plan)
{
    const struct bench_machine *machine = &report->machine;
    json_t *rows = json_array();
    for (size_t i = 0; i < report->count; i++)
        json_array_append_new(rows, row_json(&report->row[i]));
    return cli_print_json(json_pack(
        "{s:{s:s, s:i, s:s, s:f}, s:b, s:I, s:f, s:o}", "machine", "cpu", machine->cpu, "cores",
        (int)machine->cores, "kernel", machine->kernel, "load", machine->load, "quick", plan->quick,
        "seed", (json_int_t)plan->seed, "seconds", report->seconds, "locks", rows));
}

static void print_row(const struct bench_lock_row *row)
{
    printf("%-22s", row->lock);
    if (isfinite(row->ns_per_pair.median))
        printf(" %10.1f %5.0f %9.3f %7.4f %7.4f", 1e6 / row->ns_per_pair.median,
               50 * (row->ns_per_pair.high - row->ns_per_pair.low) / row->ns_per_pair.median,
               row->ratio.median, row->fairness.median, row->least.median);
    else
        printf(" %10s %5s %9s %7s %7s", "-", "-", "-", "-", "-");
    if (row->violations > 0)
        printf("  does not exclude: %llu times", (unsigned long long)row->violations);
    if (row->stuck)
        printf("  stuck");
    printf("\n");
}

/* A table for each number of threads. */
static void print_tables(const struct bench_locks_report *report,
                         const struct bench_locks_plan *plan)
{
    bench_print_heading(&report->machine, plan->quick, report->seconds, plan->seed);
    for (unsigned threads = 1; threads <= BENCH_LOCK_THREADS; threads++) {
        bool headed = false;
        for (size_t i = 0; i < report->count; i++) {
            if (report->row[i].threads != threads)
                continue;
            if (!headed)
                printf("\n%u thread%s; medians of %u rounds\n%-22s %10s %5s %9s %7s %7s\n"
                       "%-22s %10s %5s %9s %7s %7s\n",
                       threads, threads == 1 ? ", nobody else" : "s", report->row[i].samples, "",
                       "pairs", "", "time", "Jain", "least", "lock", "1000/s", "+-%", "x mutex",
                       "index", "share");
            headed = true;
            print_row(&report->row[i]);
        }
    }
}

int bench_print_locks(const struct bench_locks_plan *plan, bool json)
{
    struct bench_locks_report report;
    const bool ran = bench_locks(plan, &report);
    int status = CLI_OK;
    if (plan->progress != NULL)
        fputs("\r\033[K", stderr);
    if (!ran)
        status = cli_error(CLI_FAILED, "bench: %s", report.failure);
    else if (json)
        status = print_json(&report, plan);
    else {
        print_tables(&report, plan);
        status = cli_flush(CLI_OK);
    }
    bench_locks_free(&report);
    return status;
}
