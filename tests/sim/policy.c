#include "policy.h"

#include "choice.h"
#include "oracle.h"

struct policy policy;

enum { LONG_SLICE = 20000 };

/* ---- at random ---- */

void policy_begin_random(unsigned may)
{
    static const unsigned typical[] = {1, 2, 5, 20, 100, 1000};
    policy.systematic = policy.gives_way = false;
    policy.may = may;
    policy.late = choice_one_in(2);
    policy.typical = typical[choice_below(6)];
    policy.kills = 1 + choice_below(4);
    policy.next_time = SIM_FOREVER;
    policy.next_deed = may == 0 ? UINT64_MAX : choice_around((uint64_t)64 << choice_below(10));
}

static struct sim_process *victim(void)
{
    struct sim_process *list[SIM_PROCESSES];
    unsigned count = 0;
    for (unsigned p = 0; p < sim.processes; p++) {
        if (sim.process[p].life == SIM_ALIVE && sim.process[p].killable)
            list[count++] = &sim.process[p];
    }
    return count == 0 ? NULL : list[choice_below(count)];
}

static void do_something(void)
{
    unsigned deeds[3], count = 0;
    if ((policy.may & POLICY_KILLS) != 0 && policy.kills > 0)
        deeds[count++] = POLICY_KILLS;
    if ((policy.may & POLICY_STOPS) != 0)
        deeds[count++] = POLICY_STOPS;
    if ((policy.may & POLICY_SIGNALS) != 0)
        deeds[count++] = POLICY_SIGNALS;
    struct sim_process *process = victim();
    if (process == NULL || count == 0)
        return;
    switch (deeds[choice_below(count)]) {
    case POLICY_KILLS:
        policy.kills--;
        sim_kill(process);
        break;
    case POLICY_STOPS:
        sim_stop(process, sim.now + choice_around((uint64_t)100000 << choice_below(14)));
        break;
    default:
        if (choice_one_in(3))
            process->tick = choice_one_in(3) ? 0 : choice_around(SIM_MS << choice_below(8));
        process->next_tick = sim.now + process->tick;
        if (process->tick != 0 && process->next_tick < sim.next_timer)
            sim.next_timer = process->next_tick;
        sim_signal(process);
        break;
    }
}

void policy_interfere(void)
{
    if (policy.systematic) {
        if (policy.next_option >= 64 && policy.next_option != 0) {
            /* 64 and up: what happens to a process */
            const unsigned deed = policy.next_option - 64;
            unsigned number = 0;
            policy.next_option = 0;
            for (unsigned p = 0; p < sim.processes; p++) {
                struct sim_process *process = &sim.process[p];
                if (process->life != SIM_ALIVE || !process->killable)
                    continue;
                if ((policy.may & POLICY_KILLS) != 0 && number++ == deed)
                    sim_kill(process);
                else if ((policy.may & POLICY_SIGNALS) != 0 && number++ == deed)
                    sim_signal(process);
                else
                    continue;
                break;
            }
        }
        return;
    }
    if (sim.steps < policy.next_deed)
        return;
    policy.next_deed = sim.steps + choice_around((uint64_t)16 << choice_below(12));
    if (!policy.late || sim.now >= POLICY_LATE)
        do_something();
}

static unsigned pick_at_random(const struct policy_mover *mover, unsigned count)
{
    unsigned picked = choice_below(count);
    if (policy.gives_way && count > 1 && mover[picked].thread == sim.last)
        picked = (picked + 1) % count;
    policy.gives_way = false;
    sim.slice = (int64_t)choice_around(policy.typical);
    if (sim.steps + (uint64_t)sim.slice > policy.next_deed && policy.next_deed > sim.steps)
        sim.slice = (int64_t)(policy.next_deed - sim.steps);
    return picked;
}

/* ---- systematically ---- */

void policy_begin_systematic(unsigned may, bool inside, const struct policy_deviation *deviation,
                             unsigned deviations)
{
    policy.inside = inside;
    policy.systematic = true;
    policy.gives_way = false;
    policy.may = may;
    policy.next_time = SIM_FOREVER;
    policy.next_deed = UINT64_MAX;
    policy.point = policy.next_option = 0;
    policy.deviations = deviations;
    for (unsigned i = 0; i < deviations; i++)
        policy.deviation[i] = deviation[i];
}

/* Choices at a point: to go on; somebody else that can move; a deed to a killable process. Numbers
 * 1 to 63 are for movers, those from 64 on for deeds. */
static unsigned count_options(void)
{
    unsigned movers = 0, deeds = 0;
    for (unsigned p = 0; p < sim.processes; p++) {
        const struct sim_process *process = &sim.process[p];
        if (process->life == SIM_DYING)
            movers++;
        if (process->life != SIM_ALIVE || process->stopped)
            continue;
        for (unsigned t = 0; t < SIM_THREADS; t++)
            movers += process->thread[t].state == SIM_READY;
        if (process->killable)
            deeds += ((policy.may & POLICY_KILLS) != 0 ? 1U : 0U) +
                     ((policy.may & POLICY_SIGNALS) != 0 ? 1U : 0U);
    }
    movers -= movers > 0; /* the one that goes on */
    return (movers > 7 ? 7 : movers) | (deeds > 15 ? 15 : deeds) << 4;
}

bool policy_point(void)
{
    const struct sim_call *call = sim.self->call;
    if (policy.inside && (call == NULL || call->kind == ORACLE_OPEN || call->kind == ORACLE_CLOSE))
        return false;
    const unsigned point = policy.point++;
    if (point >= POLICY_POINTS)
        return false;
    policy.options[point] = (unsigned char)count_options();
    for (unsigned i = 0; i < policy.deviations; i++) {
        if (policy.deviation[i].point == point) {
            policy.next_option = policy.deviation[i].option;
            return true;
        }
    }
    return false;
}

/* The one after the last that moved; a deviation skips some. */
static unsigned pick_next(const struct policy_mover *mover, unsigned count)
{
    unsigned from = 0;
    bool can_go_on = false;
    for (unsigned i = 0; i < count; i++) {
        if (mover[i].thread != NULL && mover[i].thread == sim.last) {
            from = i;
            can_go_on = true;
        } else if (!can_go_on && mover[i].thread != NULL && sim.last != NULL &&
                   mover[i].thread < sim.last) {
            from = i + 1;
        }
    }
    unsigned skip = policy.next_option;
    if (skip == 0 && can_go_on && (policy.gives_way || sim.slice <= 0))
        skip = 1;
    policy.next_option = 0;
    policy.gives_way = false;
    sim.slice = LONG_SLICE;
    return (from + skip) % count;
}

unsigned policy_pick(const struct policy_mover *mover, unsigned count)
{
    return policy.systematic ? pick_next(mover, count) : pick_at_random(mover, count);
}
