/* What can still happen from each state, where looking at all of them is affordable: who is
 * enabled, and the shortest way to a state that breaks something. */
#ifndef BERTH_CLI_OUTLOOK_H
#define BERTH_CLI_OUTLOOK_H

#include "check/decide.h"
#include "schedule.h"

enum { CLI_OUTLOOK_STATES = 200000 };

struct cli_outlook {
    struct check_budget budget;
    struct check_graph graph;
    struct check_enabled enabled;
    bool known;          /* all states have been seen */
    const char *unknown; /* why not */
};

void cli_outlook_open(struct cli_outlook *outlook, const struct check_model *model);
void cli_outlook_close(struct cli_outlook *outlook);

/* The set of trying processes that are enabled in `state`; -1: not known. */
int cli_outlook_enabled(const struct cli_outlook *outlook, const uint64_t *state);

enum cli_broken { CLI_NEVER_BREAKS, CLI_BREAKS, CLI_BREAKS_UNKNOWN };

/* Adds the shortest way from `state` to one that breaks a property of single states. `faults`: also
 * by faults. */
enum cli_broken cli_outlook_break(const struct cli_outlook *outlook, const uint64_t *state,
                                  bool faults, struct cli_schedule *schedule);

#endif
