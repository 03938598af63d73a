/*
 * Opening the pools of `berth run`.
 *
 * A pool that exists is taken as it is: the user who made it has decided who may use it. -j is how
 * many slots the caller wants at most. A pool with fewer keeps that promise, and one with more does
 * not.
 */
#include "make.h"
#include "pool_command.h"
#include "run.h"

#include "pool/file.h"
#include "suggest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 100, SHORTEST_MS = 5, LONGEST_MS = 100 };

struct opening {
    struct run_options *options;
    const char *description;
    struct run_pool *pool;
};

/* ---- one pool ---- */

static berth_options options_of(const struct opening *opening)
{
    return (berth_options){.store = cli_where_store(&opening->options->where, opening->pool->name),
                           .command = opening->description};
}

static int open_existing(const struct opening *opening)
{
    berth_options how = options_of(opening);
    how.flags = BERTH_EXISTING;
    /* A run that can borrow needs no seat: the runs that have them all may wait for its tree. */
    if (!opening->options->own && run_loan_is_lent(opening->pool->name))
        how.flags |= POOL_UNSEATED;
    how.mode = opening->options->mode != 0 ? opening->options->mode : 0666;
    return berth_open(&opening->pool->handle, opening->pool->name, &how);
}

/* EEXIST, or EPERM for its mode: another process was faster. */
static int make(const struct opening *opening)
{
    const struct cli_declared *declared = opening->pool->declared;
    berth_options how = options_of(opening);
    how.mode = opening->options->mode;
    how.slots = opening->options->slots != 0 ? opening->options->slots : opening->pool->slots;
    if (declared == NULL)
        return berth_open(&opening->pool->handle, opening->pool->name, &how);
    return cli_make_declared(&opening->pool->handle, declared, &how);
}

struct neighbours {
    struct cli_suggestion suggestion;
    size_t count;
};

static int count_neighbour(const char *name, void *context)
{
    struct neighbours *neighbours = context;
    if (strcmp(name, neighbours->suggestion.word) == 0)
        return 0;
    neighbours->count++;
    cli_suggest(&neighbours->suggestion, name);
    return 0;
}

/* Says that this run has made the pool, where the store has others: it may be a slip. */
static void say_made(const struct opening *opening)
{
    char has[32];
    const struct run_pool *pool = opening->pool;
    struct neighbours neighbours = {.suggestion = {.word = pool->name}};
    const berth_options how = {.store = cli_where_store(&opening->options->where, pool->name)};
    if (pool->declared != NULL || run_is_silent(opening->options) ||
        berth_list(&how, count_neighbour, &neighbours) != 0 || neighbours.count == 0)
        return;
    cli_error(CLI_OK, "run: made the pool %s, with %s%s", pool->name,
              cli_slots(has, berth_slots(pool->handle)), cli_suggested(&neighbours.suggestion));
}

static int open_or_make(const struct opening *opening)
{
    int error = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        error = open_existing(opening);
        if (error != ENOENT || opening->options->existing)
            return error;
        error = make(opening);
        if (error == 0)
            say_made(opening);
        if (error != EEXIST && error != EPERM)
            return error;
    }
    return error;
}

/* ---- what goes wrong ---- */

/* Whether the file of the pool exists, though it cannot be opened. */
static bool is_there(const struct opening *opening)
{
    char path[PATH_MAX];
    const char *store = cli_where_store(&opening->options->where, opening->pool->name);
    const int length =
        store == NULL ? -1 : snprintf(path, sizeof path, "%s/%s.berth", store, opening->pool->name);
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

static int refuse(const struct opening *opening, int error)
{
    const struct cli_declared *declared = opening->pool->declared;
    const bool is_missing = error == ENOENT || error == EACCES || error == EROFS;
    if (error == ENOMEM)
        return cli_error(CLI_FAILED, "run: out of memory");
    if (declared != NULL && error == EACCES && is_there(opening))
        return cli_error(CLI_FAILED, "run: %s; the pool is declared in %s%s", berth_reason(),
                         declared->file,
                         declared->has_group ? ", for a group that this user is not in" : "");
    if (declared != NULL && is_missing)
        return cli_error(CLI_FAILED,
                         "run: %s; the pool is declared in %s, and berth create %s makes it",
                         berth_reason(), declared->file, declared->name);
    if (error == ENOENT)
        cli_where_failed(&opening->options->where, &cli_run, opening->pool->name, error);
    else
        cli_error(CLI_OK, "run: %s%s", berth_reason(),
                  error == EPROTO &&
                          cli_where_has_force(&opening->options->where, opening->pool->name)
                      ? " (berth rm --force removes it)"
                      : "");
    return error == EINVAL ? CLI_USAGE : CLI_FAILED;
}

/* CLI_OK, or a status after saying why the pool is not what -j asks for. */
static int compare(const struct opening *opening)
{
    const struct run_pool *pool = opening->pool;
    const unsigned most = opening->options->slots;
    char has[32];
    cli_slots(has, pool->of);
    if (most == 0 || pool->of == most)
        return CLI_OK;
    if (pool->of < most)
        return cli_error(
            CLI_OK,
            "run: pool %s has %s, fewer than the %u of -j (berth resize %s %u changes that)",
            pool->name, has, most, pool->name, most);
    return cli_error(
        CLI_FAILED, "run: pool %s has %s, more than the %u of -j (berth resize %s %u changes that)",
        pool->name, has, most, pool->name, most);
}

/* A device for each slot that may be acquired. */
static int check_devices(const struct run_pool *pool)
{
    const struct cli_declared *declared = pool->declared;
    char has[32];
    if (declared == NULL || declared->devices == 0 || pool->of <= declared->devices)
        return CLI_OK;
    return cli_error(CLI_FAILED, "run: pool %s has %s, and %s declares devices for %zu", pool->name,
                     cli_slots(has, pool->of), declared->file, declared->devices);
}

/* Where names are strict, one that is not declared is refused. */
static int check_name(const struct opening *opening)
{
    const struct cli_where *where = &opening->options->where;
    const char *name = opening->pool->name;
    struct cli_suggestion suggestion = {.word = name};
    if (opening->pool->declared != NULL || where->all.strict[0] == '\0')
        return CLI_OK;
    for (size_t i = 0; i < where->all.count; i++)
        cli_suggest(&suggestion, where->all.pool[i].name);
    return cli_error(CLI_FAILED, "run: pool %s is not declared, and %s says strict = yes%s", name,
                     where->all.strict, cli_suggested(&suggestion));
}

/* ---- all of them ---- */

/* 0; EUSERS: all seats are taken; -1, and *status. */
static int open_one(const struct opening *opening, int *status)
{
    struct run_pool *pool = opening->pool;
    pool->declared = cli_where_declared(&opening->options->where, pool->name);
    *status = cli_declaration_check(pool->declared, "run");
    if (*status == CLI_OK)
        *status = check_name(opening);
    if (*status != CLI_OK)
        return -1;
    pool->grants = calloc(pool->slots, sizeof *pool->grants);
    const int error = pool->grants != NULL ? open_or_make(opening) : ENOMEM;
    if (error == EUSERS)
        return error;
    if (error != 0) {
        *status = refuse(opening, error);
        return -1;
    }
    pool->of = berth_slots(pool->handle);
    *status = compare(opening);
    if (*status == CLI_OK)
        *status = check_devices(pool);
    return *status == CLI_OK ? 0 : -1;
}

/* Never keep a seat of one pool while waiting for a seat of another. */
static int open_all(struct run_options *options, const char *description, int *status)
{
    int error = 0;
    for (size_t i = 0; i < options->pools.count && error == 0; i++) {
        const struct opening opening = {options, description, &options->pools.pool[i]};
        error = open_one(&opening, status);
    }
    if (error == EUSERS)
        run_pools_close(&options->pools);
    return error;
}

static bool is_over(const struct timespec *deadline)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > deadline->tv_sec ||
           (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

static long longer(long pause)
{
    return 2 * pause < LONGEST_MS ? 2 * pause : LONGEST_MS;
}

int run_pools_open(struct run_options *options, const char *description,
                   const struct run_patience *patience, int *status)
{
    int error = open_all(options, description, status);
    for (long pause = SHORTEST_MS; error == EUSERS; pause = longer(pause)) {
        if (patience->none)
            return EBUSY;
        if (patience->deadline != NULL && is_over(patience->deadline))
            return ETIMEDOUT;
        if (pause == SHORTEST_MS && !run_is_silent(options))
            cli_error(CLI_OK, "run: %s; waiting for one", berth_reason());
        nanosleep(&(struct timespec){.tv_nsec = pause * 1000000}, NULL);
        error = open_all(options, description, status);
    }
    if (error == 0)
        *status = run_options_check(options);
    return error == 0 && *status != CLI_OK ? -1 : error;
}
