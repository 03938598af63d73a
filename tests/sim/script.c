#include "script.h"

#include "choice.h"

#include <stddef.h>
#include <string.h>

#define ALL (POLICY_KILLS | POLICY_STOPS | POLICY_SIGNALS)

const struct script script_list[] = {
    {"hand-over", script_hand_over, ALL, 2000, 1, false, false,
     "three processes, one slot: acquire and release, twice each"},
    {"pair", script_pair, POLICY_KILLS, 1000, 2, false, true,
     "two processes, one slot: acquire and release, once each"},
    {"heirs", script_heirs, POLICY_KILLS | POLICY_SIGNALS, 1000, 1, false, true,
     "a holder dies with two behind it, one of which gives up"},
    {"two-slots", script_two_slots, POLICY_KILLS, 1000, 1, false, true,
     "three processes, two slots: acquire and release, once each"},
    {"prompt", script_prompt, 0, 1000, 2, false, true,
     "nobody dies or gives up: a release wakes the next in line at once"},
    {"seats", script_seats, POLICY_KILLS, 1000, 1, false, false,
     "newcomers in the seats of the dead"},
    {"wait-or-not", script_wait_or_not, ALL, 1000, 1, false, false,
     "patient, impatient and trying callers at one slot"},
    {"resize", script_resize, ALL, 1000, 1, false, false, "slots come and go under those who wait"},
    {"full", script_full, ALL, 500, 1, false, true,
     "all seats are taken: a newcomer, and a resize without a seat"},
    {"both", script_both, POLICY_KILLS | POLICY_STOPS, 1000, 1, false, true,
     "slots of two pools at once, in both orders"},
    {"given-up", script_given_up, 0, 1, 0, false, false,
     "more calls time out during one hold than the ring has room for"},
    {"fork-close", script_fork_close, POLICY_SIGNALS, 20, 1, false, false,
     "a child opens the pool again and closes its copy of the parent's handle"},
    {"fork-in-all", script_fork_in_all, 0, 300, 1, false, false,
     "a thread forks while another one is in berth_acquire_all, and the child lives on"},
    {"fork-and-die", script_fork_and_die, 0, 1000, 1, false, false,
     "the same, and the process that forks is killed"},
    {"fork-holder", script_fork_holder, ALL, 500, 1, false, false,
     "a holder forks and dies; the child keeps the slot as long as it lives"},
    {"polls", script_polls, POLICY_SIGNALS, 20, 1, false, false,
     "a holder dies, and others poll with deadlines that are over"},
    {"signals", script_signals, 0, 5, 0, false, false,
     "a slot comes free without the end of a process, and signals come five times a second"},
    {"signals-often", script_signals_often, 0, 20, 0, false, false,
     "a holder dies, and signals come more often than anybody looks"},
    {"long-wait", script_long_wait, 0, 50, 0, false, false,
     "a holder dies after a long time, and the next in line perhaps with it"},
    {"reused", script_reused, 0, 20, 1, false, false,
     "a program closes the handle's descriptor and gets another file by its number"},
    {"release-twice", script_release_twice, 0, 300, 1, false, false,
     "two threads release one grant at once"},
    {"shrink", script_shrink, 0, 20, 1, false, false,
     "somebody waits for two slots, and the pool shrinks to one"},
    {"grow", script_grow, 0, 20, 1, false, false,
     "a pool grows, and the holder of its new slot dies"},
    {"threads", script_threads, POLICY_SIGNALS, 50, 0, false, false,
     "threads of one process wait for long, and signals come"},
    {"misuse", script_misuse, ALL, 200, 0, false, false,
     "NULL, handles closed twice, wrong grants, deadlines that are none"},
    {"lost", script_lost, 0, 100, 0, true, false,
     "a holder learns that the file of its pool was deleted, or that nothing was"},
    {"loans", script_loans, ALL, 1500, 1, false, true,
     "a holder lends its slot, and what it has lent is lent on; anybody dies, leaves or gives back"},
    {"loan-threads", script_loan_threads, POLICY_SIGNALS, 500, 1, false, true,
     "one grant and one handle in several threads: lent, borrowed and released at once"},
    {"loan-cancel", script_loan_cancel, 0, 500, 1, false, true,
     "a thread is cancelled while it borrows one slot and waits for another"},
    {"loan-copies", script_loan_copies, POLICY_KILLS, 1000, 1, false, false,
     "a run inherits its lender's descriptor, and the lender dies, leaves or goes on"},
    {"loan-seats", script_loan_seats, POLICY_KILLS, 500, 1, false, false,
     "all seats are taken by runs that wait for the one that nests"},
    {"exec", script_exec, ALL, 200, 1, false, false, "a holder becomes another program"},
    {"cancel", script_cancel, 0, 500, 1, false, false,
     "a thread is cancelled while it waits for a slot"},
    {"stop", script_stop, 0, 300, 1, false, false, "a wait is asked to stop by another thread"},
    {"removed", script_removed, 0, 20, 0, true, false,
     "the file is deleted under holders and waiters"},
    {"openers", script_openers, POLICY_SIGNALS, 100, 0, false, false,
     "a process asks who has the pool open, however they came"},
    {"remove-twice", script_remove_twice, ALL, 200, 1, false, false,
     "two remove a pool, and a third makes it again"},
    {"come-and-go", script_come_and_go, ALL, 1000, 1, false, false,
     "processes make, open, and remove one pool"},
    {"random", script_random, ALL, 2500, 0, true, false, "random programs of all calls"},
    {NULL, NULL, 0, 0, 0, false, false, NULL},
};

const struct script *script_find(const char *name)
{
    for (const struct script *script = script_list; script->name != NULL; script++) {
        if (strcmp(script->name, name) == 0)
            return script;
    }
    return NULL;
}

struct sim_process *script_start(const char *name, void (*program)(void *), void *argument)
{
    struct sim_process *process = sim_spawn(name, program, argument);
    if (process != NULL) {
        process->killable = true;
        process->keeps_zombie = choice_one_in(2);
    }
    return process;
}

void script_together(void)
{
    if (sim.now < POLICY_LATE)
        sim_sleep(POLICY_LATE - sim.now);
}

void script_wait_for_all(void)
{
    for (;;) {
        const struct sim_process *other = NULL;
        for (unsigned p = 0; p < sim.processes; p++) {
            const struct sim_process *process = &sim.process[p];
            if (process != sim.self->process &&
                (process->life == SIM_ALIVE || process->life == SIM_DYING))
                other = process;
        }
        if (other == NULL)
            return;
        sim_block(SIM_ON_JOIN, (uint64_t)other->birth << 32, SIM_FOREVER, false);
    }
}
