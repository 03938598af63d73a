/* Schedules: which process moves next. Written as words, "0 1 1! 0?": process 0 makes a step, then
 * process 1, then process 1 fails, then process 0 makes a step with the other outcome of its
 * choice. */
#ifndef BERTH_CLI_SCHEDULE_H
#define BERTH_CLI_SCHEDULE_H

#include "schedule_replay.h"

#include <stddef.h>

struct cli_schedule {
    uint8_t *edge;
    size_t length, room;
};

/* False: no memory. */
bool cli_schedule_add(struct cli_schedule *schedule, unsigned edge);
void cli_schedule_free(struct cli_schedule *schedule);

/* Adds what `text` says. NULL, or a sentence that says what is wrong, in `buffer` or static. */
const char *cli_schedule_parse(struct cli_schedule *schedule, const struct check_model *model,
                               const char *text, char *buffer, size_t size);
/* The same text again; the caller frees it. NULL: no memory. */
char *cli_schedule_text(const struct check_model *model, const uint8_t *edge, size_t length);

/* Schedulers: each chooses one move from where `replay` is, makes it and adds it. False: no process
 * can move, or no memory. `random` is the state of a random generator. */
struct cli_scheduler {
    uint64_t random;
    bool faults;    /* let processes fail, now and then */
    uint64_t moved; /* this round */
};
/* Any process, any move that it has; a fault, where there are faults, about once in 16. */
bool cli_schedule_random(struct cli_schedule *schedule, struct cli_replay *replay,
                         struct cli_scheduler *scheduler);
/* Rounds in which each process makes one step, in order; or, if `random` is not 0, in any order. */
bool cli_schedule_fair(struct cli_schedule *schedule, struct cli_replay *replay,
                       struct cli_scheduler *scheduler);
/* An adversary that keeps `victim` out of its critical region: as long as another move changes
 * something, it makes none that lets the victim in. */
bool cli_schedule_against(struct cli_schedule *schedule, struct cli_replay *replay,
                          struct cli_scheduler *scheduler, unsigned victim);

#endif
