/* The lines of tables in `berth status` and `berth top`: of holders, of waiters, and of the builds
 * that they belong to. */
#ifndef BERTH_CLI_POOL_LINES_H
#define BERTH_CLI_POOL_LINES_H

#include "berth.h"

#include <stdbool.h>
#include <stddef.h>

/* The name of the user who runs it; the number, where it has none; "-", where that is not known. */
enum { CLI_USER_NAME = 33 };
const char *cli_user_name(char name[static CLI_USER_NAME], const berth_user *user);

/* A holder ("slot") or a waiter ("place") as a line of a table, cleaned for a terminal. */
enum { CLI_USER_LINE = 256 + BERTH_NAME_MAX };
const char *cli_user_heading(char line[CLI_USER_LINE]);
const char *cli_user_line(char line[CLI_USER_LINE], const char *what, const berth_user *user);

/* builds.c: a process that holds several slots, or holds and waits, as one that has a jobserver
 * does. */
struct cli_build {
    const berth_user *user; /* as it holds the first of them */
    unsigned slots, asks;
};
/* The one with this number, from 0, in the order of their first slots; false: there are fewer. */
bool cli_build(const berth_view *view, size_t number, struct cli_build *build);
size_t cli_build_count(const berth_view *view);
const char *cli_build_line(char line[CLI_USER_LINE], const struct cli_build *build);

#endif
