/* The processes of a round, as the driver sees them: started, killed, stopped, continued, waited
 * for, and started again. */
#ifndef BERTH_TORTURE_CREW_H
#define BERTH_TORTURE_CREW_H

#include "board.h"
#include "plan.h"

#include <sys/types.h>

struct crew {
    const struct plan *plan;
    struct board *board;
    pid_t driver;
    pid_t pid[BOARD_PLACES]; /* 0: nobody */
    bool stopped[BOARD_PLACES];
    uint64_t random, lives, kills, stops;
};

/* A new process in each place. */
void crew_start(struct crew *crew, const struct plan *plan);

/* Records which processes have ended, and starts others in their place. */
void crew_renew(struct crew *crew);

void crew_kill_one(struct crew *crew);
void crew_stop_one(struct crew *crew);
void crew_continue_one(struct crew *crew);
void crew_continue_all(struct crew *crew);

/* Kills all, and waits until there is nobody left, not even a child that was forked on the way.
 * False: somebody does not die. */
bool crew_end(struct crew *crew);

#endif
