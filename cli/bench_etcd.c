/*
 * berth bench --store etcd://...: an acquire and a release beside two bare transactions through the
 * same connection, which is what any way to do it needs; and `berth run` beside `etcdctl lock`.
 * Measured in turns, so that other load on the machine affects all of them alike; and they take
 * turns to be first, because each leaves the store some work to do.
 */
#include "bench_report.h"

#ifdef BERTH_TWIN

#include "bench/statistics.h"
#include "os/clock.h"
#include "pool_command.h"
#include "store/etcd/session.h"
#include "store/store.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern const struct store_operations berth_store_etcd;
extern char **environ;

enum { ROUNDS = 400, ROUNDS_QUICK = 100, RUNS = 40, RUNS_QUICK = 12 };

struct etcd_bench {
    const char *store;
    char endpoints[ADDRESS_ENDPOINTS * (ADDRESS_HOST + 8)];
    unsigned rounds, runs;
    double *pair, *bare, *ratio; /* microseconds */
    double *run, *lock, *run_ratio;
    bool has_lock;
};

static double us_since(uint64_t start)
{
    return (double)(os_now(CLOCK_MONOTONIC) - start) / 1e3;
}

static int failed(const char *reason)
{
    return cli_error(CLI_FAILED, "bench: %s", reason);
}

/* ---- in one process ---- */

static int one_pair(struct session *session, double *us, char reason[STORE_REASON])
{
    berth_grant grant;
    const uint64_t start = os_now(CLOCK_MONOTONIC);
    int error = berth_store_etcd.acquire(session, (struct store_patience){0}, &grant, reason);
    if (error == 0)
        error = berth_store_etcd.release(session, &grant, reason);
    *us = us_since(start);
    return error;
}

/* Puts a key if it is not there, and deletes it if it is: what a lock without waiting would do. */
static int bare_one(struct session *session, bool put, char reason[STORE_REASON])
{
    struct machine machine = {.goal = MACHINE_BARE, .request = build_new()};
    struct build *build = machine.request;
    layout_key key;
    if (build == NULL)
        return ENOMEM;
    layout_in(&session->seat.layout, 'b', "bare", key);
    if (put) {
        build_if_absent(build, build->txn, key);
        build_put_text(build, build->txn, false, key, "bare");
    } else {
        build_if_present(build, build->txn, key);
        build_delete(build, build->txn, false, key, NULL);
    }
    return session_turn(session, &machine, moment_never(), reason);
}

static int one_bare(struct session *session, double *us, char reason[STORE_REASON])
{
    const uint64_t start = os_now(CLOCK_MONOTONIC);
    int error = bare_one(session, true, reason);
    if (error == 0)
        error = bare_one(session, false, reason);
    *us = us_since(start);
    return error;
}

static int measure_pairs(struct etcd_bench *bench, char reason[STORE_REASON])
{
    void *handle;
    const berth_options options = {.slots = 1, .command = "berth bench"};
    int error = berth_store_etcd.open(&handle, bench->store, "berth-bench", &options, reason);
    if (error != 0)
        return error;
    for (unsigned i = 0; i < bench->rounds && error == 0; i++) {
        const bool bare_first = i % 2 == 1;
        if (bare_first)
            error = one_bare(handle, &bench->bare[i], reason);
        if (error == 0)
            error = one_pair(handle, &bench->pair[i], reason);
        if (error == 0 && !bare_first)
            error = one_bare(handle, &bench->bare[i], reason);
        bench->ratio[i] = bench->pair[i] / bench->bare[i];
    }
    char ignored[STORE_REASON];
    berth_store_etcd.close(handle, ignored);
    berth_store_etcd.remove(bench->store, "berth-bench", ignored);
    return error;
}

/* ---- a command ---- */

/* The time that it takes, in microseconds; negative: it cannot be run, or fails. */
static double time_command(char *const argv[])
{
    posix_spawn_file_actions_t quiet;
    pid_t pid;
    int status = -1;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", 1, 0);
    const uint64_t start = os_now(CLOCK_MONOTONIC);
    const int error = posix_spawnp(&pid, argv[0], &quiet, NULL, argv, environ);
    if (error == 0)
        waitpid(pid, &status, 0);
    const double us = us_since(start);
    posix_spawn_file_actions_destroy(&quiet);
    return error == 0 && status == 0 ? us : -1;
}

static int measure_commands(struct etcd_bench *bench, char reason[STORE_REASON])
{
    char command[PATH_MAX], store[GUARD_TEXT];
    if (!cli_command_path(command))
        snprintf(command, sizeof command, "berth");
    snprintf(store, sizeof store, "%s", bench->store);
    char *run[] = {command, "run", "--store", store, "berth-bench", "--", "true", NULL};
    char *lock[] = {"etcdctl", "--endpoints", bench->endpoints, "lock", "berth-bench",
                    "true",    NULL};
    setenv("ETCDCTL_API", "3", 1);
    time_command(run); /* makes the pool, and warms up */
    bench->has_lock = time_command(lock) > 0;
    for (unsigned i = 0; i < bench->runs; i++) {
        const bool lock_first = i % 2 == 1 && bench->has_lock;
        if (lock_first)
            bench->lock[i] = time_command(lock);
        bench->run[i] = time_command(run);
        if (!lock_first)
            bench->lock[i] = bench->has_lock ? time_command(lock) : 0;
        if (bench->run[i] < 0 || bench->lock[i] < 0) {
            snprintf(reason, STORE_REASON, "%s failed",
                     bench->run[i] < 0 ? "berth run" : "etcdctl lock");
            return EIO;
        }
        bench->run_ratio[i] = bench->has_lock ? bench->run[i] / bench->lock[i] : 0;
    }
    char ignored[STORE_REASON];
    berth_store_etcd.remove(bench->store, "berth-bench", ignored);
    return 0;
}

/* ---- what came out ---- */

static json_t *row(const char *name, const char *subject, double *us, double *ratio, unsigned count)
{
    const struct bench_spread time = bench_spread_of(us, count);
    json_t *object =
        json_pack("{s:s, s:s, s:i, s:i, s:f, s:[f, f], s:i}", "case", name, "subject", subject,
                  "processes", 1, "slots", 1, "ns_per_pair", time.median * 1e3,
                  "ns_per_pair_quartiles", time.low * 1e3, time.high * 1e3, "samples", (int)count);
    if (ratio != NULL) {
        const struct bench_spread spread = bench_spread_of(ratio, count);
        json_object_set_new(object, "ratio", json_real(spread.median));
        json_object_set_new(object, "ratio_quartiles",
                            json_pack("[f, f]", spread.low, spread.high));
    }
    return object;
}

static void print_row(const char *what, double *us, unsigned count)
{
    const struct bench_spread time = bench_spread_of(us, count);
    printf("  %-36s %9.1f us  (%.1f to %.1f)\n", what, time.median, time.low, time.high);
}

static int show(struct etcd_bench *bench, bool json)
{
    if (json) {
        json_t *rows = json_array();
        json_array_append_new(
            rows, row("uncontended", "berth", bench->pair, bench->ratio, bench->rounds));
        json_array_append_new(
            rows, row("uncontended", "two transactions", bench->bare, NULL, bench->rounds));
        json_array_append_new(rows, row("command", "berth run", bench->run,
                                        bench->has_lock ? bench->run_ratio : NULL, bench->runs));
        if (bench->has_lock)
            json_array_append_new(rows,
                                  row("command", "etcdctl lock", bench->lock, NULL, bench->runs));
        return cli_print_json(json_pack("{s:s, s:o}", "store", "etcd", "bench", rows));
    }
    printf("one process, one slot, nobody else (median, quartiles)\n");
    print_row("acquire and release", bench->pair, bench->rounds);
    print_row("two bare transactions", bench->bare, bench->rounds);
    printf("  %-36s %9.2f\n", "ratio", bench_spread_of(bench->ratio, bench->rounds).median);
    printf("a command\n");
    print_row("berth run true", bench->run, bench->runs);
    if (bench->has_lock) {
        print_row("etcdctl lock true", bench->lock, bench->runs);
        printf("  %-36s %9.2f\n", "ratio", bench_spread_of(bench->run_ratio, bench->runs).median);
    } else {
        printf(
            "  etcdctl lock was left out: there is no etcdctl, or it needs more than an endpoint\n");
    }
    return cli_flush(CLI_OK);
}

static int measure(const char *store, bool quick, bool json)
{
    char reason[STORE_REASON] = "";
    struct address address;
    if (address_parse(&address, store, reason) != 0)
        return cli_error(CLI_USAGE, "bench: %s", reason);
    struct etcd_bench bench = {
        .store = store, .rounds = quick ? ROUNDS_QUICK : ROUNDS, .runs = quick ? RUNS_QUICK : RUNS};
    size_t used = 0;
    for (size_t i = 0; i < address.endpoints; i++)
        used +=
            (size_t)snprintf(bench.endpoints + used, sizeof bench.endpoints - used, "%s%s:%s",
                             i > 0 ? "," : "", address.endpoint[i].host, address.endpoint[i].port);
    double *room = calloc((size_t)3 * bench.rounds + (size_t)3 * bench.runs, sizeof *room);
    if (room == NULL)
        return failed("out of memory");
    bench.pair = room;
    bench.bare = bench.pair + bench.rounds;
    bench.ratio = bench.bare + bench.rounds;
    bench.run = bench.ratio + bench.rounds;
    bench.lock = bench.run + bench.runs;
    bench.run_ratio = bench.lock + bench.runs;
    int error = measure_pairs(&bench, reason);
    if (error == 0)
        error = measure_commands(&bench, reason);
    const int status = error == 0 ? show(&bench, json) : failed(reason);
    free(room);
    return status;
}

/* What the laboratory asks for, below. */
static int run(int argc, char **argv)
{
    if (argc != 4)
        return cli_error(CLI_USAGE, "bench: this is for berth bench --store etcd://... to call");
    return measure(argv[1], strcmp(argv[2], "quick") == 0, strcmp(argv[3], "json") == 0);
}

const struct cli_command cli_bench = {.name = "bench", .about = BENCH_ABOUT, .run = run};

#else

/* The laboratory has no etcd store; berth-etcd has. */
int bench_etcd(const char *store, bool quick, bool json)
{
    char *argv[] = {
        "berth", "bench", (char *)store, quick ? "quick" : "full", json ? "json" : "text", NULL};
    cli_become("berth-etcd", argv);
    return cli_error(CLI_FAILED, "bench: the etcd store is not installed: %s", store);
}

#endif
