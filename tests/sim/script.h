/* The plays. A script's program is the first process; it starts the others, waits until they are
 * gone, and looks at what they leave. */
#ifndef BERTH_SIM_SCRIPT_H
#define BERTH_SIM_SCRIPT_H

#include "policy.h"
#include "sim.h"

struct script {
    const char *name;
    void (*program)(void *);
    unsigned may;   /* what else the scheduler may do: POLICY_... */
    unsigned runs;  /* at random, of a short test */
    unsigned bound; /* deviations, of a systematic test; 0: none */
    bool removals;  /* the library has to notice that the file was removed */
    bool inside;    /* nobody deviates while a pool is opened or closed: then more elsewhere */
    const char *about;
};

extern const struct script script_list[];
const struct script *script_find(const char *name);

/* ---- for the programs ---- */

/* Starts a process that the scheduler may kill, stop and signal. */
struct sim_process *script_start(const char *name, void (*program)(void *), void *argument);
void script_wait_for_all(void);
/* The process has opened what it needs: it goes on when the others have, too. */
void script_together(void);

void script_random(void *);   /* script_random.c */
void script_given_up(void *); /* script_bugs.c, and so on */
void script_polls(void *);
void script_signals(void *);
void script_signals_often(void *);
void script_long_wait(void *);
void script_release_twice(void *);
void script_shrink(void *);
void script_grow(void *);
void script_threads(void *);
void script_fork_close(void *); /* script_fork.c */
void script_fork_in_all(void *);
void script_fork_and_die(void *);
void script_fork_holder(void *);
void script_exec(void *);
void script_reused(void *);
void script_cancel(void *); /* script_cancel.c */
void script_stop(void *);
void script_loans(void *); /* script_loan.c */
void script_loan_threads(void *);
void script_loan_cancel(void *);
void script_loan_copies(void *);
void script_loan_seats(void *);
void script_removed(void *); /* script_file.c */
void script_openers(void *);
void script_come_and_go(void *);
void script_remove_twice(void *);
void script_misuse(void *); /* script_misuse.c */
void script_lost(void *);
void script_pair(void *); /* script_small.c */
void script_heirs(void *);
void script_two_slots(void *);
void script_prompt(void *);
void script_seats(void *);
void script_hand_over(void *);
void script_wait_or_not(void *);
void script_resize(void *);
void script_full(void *);
void script_both(void *);

#endif
