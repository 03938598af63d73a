/* What the subcommands share that work on pools: run, create, status, top, ls, rm,
 * resize, wait, drain. */
#ifndef BERTH_CLI_POOL_COMMAND_H
#define BERTH_CLI_POOL_COMMAND_H

#include "berth.h"
#include "cli.h"

#include <time.h>

enum { CLI_NOT_IN_TIME = 75 }; /* as EX_TEMPFAIL of sysexits.h: try again later */

/* The long option that all of them have. */
enum { CLI_OPTION_STORE = 512 };
#define CLI_LONG_OPTION_STORE "store", required_argument, NULL, CLI_OPTION_STORE

/* The exit status for an error of the library: 1 where a pool does not exist or is open,
 * 2 where the name or an option is bad, 125 otherwise. */
int cli_pool_status(int error);
/* Prints why the library's last call failed, "berth: COMMAND: ...", and gives that status. */
int cli_pool_failed(const struct cli_command *command, int error);

/* A pool that cannot be shown among others: says so on standard error. One that is damaged or of
 * another version does not change the status, and goes to `damaged`, unless that is NULL; otherwise
 * *status says that something failed. 0, or ENOMEM. */
int cli_not_shown(const struct cli_command *command, const char *name, int error, json_t *damaged,
                  int *status);
/* {"pools": ..., "damaged": ...}, the latter where there is something; both are dropped. */
int cli_print_pools(json_t *pools, json_t *damaged);

/* A time to wait: as cli_seconds, 0, or numbers with units: 500ms, 30s, 5m, 1h30m, 2d. */
bool cli_patience(const char *text, double *seconds);
/* "1 slot", "2 slots". */
const char *cli_slots(char text[static 32], unsigned slots);
/* This many seconds from now, on CLOCK_MONOTONIC. */
struct timespec cli_deadline(double seconds);
/* Seconds since `start` on `clock`; never negative. */
double cli_elapsed(clockid_t clock, const struct timespec *start);

/* wait_for.c: waits until nobody holds a slot of any of the pools, nor waits for one. EBUSY: *busy
 * is still in use after that many seconds. Otherwise what the library gave, about *busy. */
struct cli_where;
struct cli_wait {
    const char *const *name;
    size_t count;
    const struct cli_where *where;
    bool holders_only; /* ignore waiters */
    bool limited;
    double seconds;
};
int cli_wait_for(const struct cli_wait *wait, const char **busy);
/* Their options: the pools that are named, how long, and --store. CLI_OK, or the status after a
 * message. */
int cli_wait_parse(const struct cli_command *command, int argc, char **argv, struct cli_wait *wait,
                   const char **store);

#endif
