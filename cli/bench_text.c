/* What was measured, as tables. A number that is not known, or does not exist, is a dash. */
#include "bench_report.h"

#include <math.h>
#include <string.h>

void bench_machine_text(char *text, size_t size, const struct bench_machine *machine)
{
    snprintf(text, size, "%s, %u core%s, %s", machine->cpu, machine->cores,
             machine->cores == 1 ? "" : "s", machine->kernel);
}

/* ---- numbers ---- */

enum { NUMBER = 24 };

/* Three digits that count, at least. */
static const char *number(char text[NUMBER], double value)
{
    double size = fabs(value);
    if (!isfinite(value))
        snprintf(text, NUMBER, "-");
    else if (value == 0)
        snprintf(text, NUMBER, "0");
    else if (size >= 1e7)
        snprintf(text, NUMBER, "%.3g", value);
    else
        snprintf(text, NUMBER, "%.*f", size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3, value);
    return text;
}

static void column(int width, double value)
{
    char text[NUMBER];
    printf(" %*s", width, number(text, value));
}

static void count_column(int width, double value)
{
    if (isfinite(value))
        printf(" %*.0f", width, value);
    else
        printf(" %*s", width, "-");
}

/* From quartile to quartile. */
static void range_column(int width, const struct bench_spread *spread, double unit)
{
    char low[NUMBER], high[NUMBER], text[2 * NUMBER + 8];
    if (isfinite(spread->median))
        snprintf(text, sizeof text, "%s - %s", number(low, spread->low / unit),
                 number(high, spread->high / unit));
    else
        snprintf(text, sizeof text, "-");
    printf(" %*s", width, text);
}

/* Half the distance of the quartiles, in percent of the median. */
static void percent_column(int width, const struct bench_spread *spread)
{
    if (isfinite(spread->median) && spread->median > 0)
        printf(" %*.0f", width, 50 * (spread->high - spread->low) / spread->median);
    else
        printf(" %*s", width, "-");
}

static void end_line(const struct bench_row *row)
{
    printf("%s%s\n", row->note[0] != '\0' ? "  " : "", row->note);
}

/* ---- a table for each case ---- */

static void uncontended_heading(const struct bench_row *row)
{
    (void)row;
    printf("\nuncontended: one acquire and release, while nobody else wants a slot\n"
           "%-13s %5s %9s %15s %9s %15s %6s\n",
           "subject", "slots", "ns/pair", "quartiles", "x sem_t", "quartiles", "rounds");
}

static void uncontended_line(const struct bench_row *row)
{
    printf("%-13s %5u", row->subject, row->slots);
    column(9, row->ns_per_pair.median);
    range_column(15, &row->ns_per_pair, 1);
    column(9, row->ratio.median);
    range_column(15, &row->ratio, 1);
    printf(" %6u", row->samples);
}

static void contended_heading(const struct bench_row *row)
{
    printf("\ncontended: %u processes, %u slot%s, critical section %g us; medians of %u rounds\n"
           "%-13s %9s %3s %6s %9s %3s %6s %7s %8s %7s %9s %9s %9s\n"
           "%-13s %9s %3s %6s %9s %3s %6s %7s %8s %7s %9s %9s %9s\n",
           row->processes, row->slots, row->slots == 1 ? "" : "s", row->section_us, row->samples,
           "", "pairs", "", "time", "CPU", "", "CPU", "Jain", "", "of", "wait us", "", "",
           "subject", "1000/s", "+-%", "x sysv", "us/pair", "+-%", "x sysv", "index", "passed",
           "watched", "p50", "p99", "max");
}

static void contended_line(const struct bench_row *row)
{
    printf("%-13s", row->subject);
    column(9, 1e6 / row->ns_per_pair.median);
    percent_column(3, &row->ns_per_pair);
    column(6, row->ratio_to_sysv.median);
    column(9, row->cpu_ns_per_pair.median / 1e3);
    percent_column(3, &row->cpu_ns_per_pair);
    column(6, row->cpu_ratio_to_sysv.median);
    if (isfinite(row->fairness.median))
        printf(" %7.4f", row->fairness.median);
    else
        printf(" %7s", "-");
    count_column(8, row->overtakes);
    count_column(7, row->watched);
    column(9, row->p50_us);
    column(9, row->p99_us);
    column(9, row->max_us);
    if (isfinite(row->overtakes_by_ticket))
        printf("  by ticket %.0f", row->overtakes_by_ticket);
}

static void kills_heading(const struct bench_row *row)
{
    printf("\nkills: slots left when some of %u processes were killed at random instants\n"
           "%-13s %5s %5s %5s %11s\n",
           row->processes, "subject", "slots", "kills", "left", "dead after");
}

static void kills_line(const struct bench_row *row)
{
    printf("%-13s %5u", row->subject, row->slots);
    count_column(5, row->kills);
    count_column(5, row->slots_left);
    count_column(11, row->dead_after);
}

static void recovery_heading(const struct bench_row *row)
{
    (void)row;
    printf("\nrecovery: from the SIGKILL of a holder until the waiter behind it has the slot, ms\n"
           "%-13s %5s %9s %9s %9s %6s\n",
           "subject", "slots", "p50", "p99", "max", "kills");
}

static void recovery_line(const struct bench_row *row)
{
    printf("%-13s %5u", row->subject, row->slots);
    column(9, row->p50_us / 1e3);
    column(9, row->p99_us / 1e3);
    column(9, row->max_us / 1e3);
    printf(" %6u", row->samples);
}

static void parked_heading(const struct bench_row *row)
{
    (void)row;
    printf("\nparked: CPU time of waiters while they wait, in percent of one core\n"
           "%-13s %7s %11s %11s\n",
           "subject", "waiters", "together", "each");
}

static void parked_line(const struct bench_row *row)
{
    printf("%-13s %7u", row->subject, row->processes);
    if (isfinite(row->cpu_percent))
        printf(" %11.4f %11.4f", row->cpu_percent, row->cpu_percent / row->processes);
    else
        printf(" %11s %11s", "-", "-");
}

static void command_heading(const struct bench_row *row)
{
    (void)row;
    printf("\ncommand: the command `true`, from its start until its end is known\n"
           "%-13s %5s %9s %15s %11s %15s %8s %6s\n",
           "subject", "slots", "ms", "quartiles", "x fork+exec", "quartiles", "x flock", "runs");
}

static void command_line(const struct bench_row *row)
{
    printf("%-13s", row->subject);
    count_column(5, row->slots > 0 ? (double)row->slots : NAN);
    column(9, row->ns_per_pair.median / 1e6);
    range_column(15, &row->ns_per_pair, 1e6);
    column(11, row->ratio.median);
    range_column(15, &row->ratio, 1);
    column(8, row->ratio_to_flock.median);
    printf(" %6u", row->samples);
}

static const struct {
    void (*heading)(const struct bench_row *row); /* before the first line */
    void (*line)(const struct bench_row *row);
} tables[BENCH_CASES] = {
    [BENCH_UNCONTENDED] = {uncontended_heading, uncontended_line},
    [BENCH_CONTENDED] = {contended_heading, contended_line},
    [BENCH_KILLS] = {kills_heading, kills_line},
    [BENCH_RECOVERY] = {recovery_heading, recovery_line},
    [BENCH_PARKED] = {parked_heading, parked_line},
    [BENCH_COMMAND] = {command_heading, command_line},
};

/* The case contended has a table for each combination of processes, slots and section. */
static bool same_table(const struct bench_row *row, const struct bench_row *next)
{
    return row->of == next->of &&
           (row->of != BENCH_CONTENDED ||
            (row->processes == next->processes && row->slots == next->slots &&
             row->section_us == next->section_us));
}

void bench_print_heading(const struct bench_machine *machine, bool quick, double seconds,
                         uint64_t seed)
{
    char text[256];
    bench_machine_text(text, sizeof text, machine);
    printf("%s\n%s run, %.0f s, seed %llu; load before it %.2f%s\n", text, quick ? "quick" : "full",
           seconds, (unsigned long long)seed, machine->load,
           machine->load > 0.5 ? ": the machine had other work, numbers may be off" : "");
}

void bench_print(const struct bench_report *report, const struct bench_plan *plan)
{
    bench_print_heading(&report->machine, plan->quick, report->seconds, plan->seed);
    for (size_t i = 0; i < report->count; i++) {
        const struct bench_row *row = &report->row[i];
        if (i == 0 || !same_table(&report->row[i - 1], row))
            tables[row->of].heading(row);
        tables[row->of].line(row);
        end_line(row);
    }
    for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
        if (bench_subjects[s]->missing != NULL)
            printf("\nnot measured: %s: %s\n", bench_subjects[s]->name, bench_subjects[s]->missing);
    }
}
