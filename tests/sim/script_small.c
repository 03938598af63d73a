/* Small plays without misuse: for the systematic search, and at random with kills. */
#include "script.h"

#include "api.h"
#include "calls.h"
#include "choice.h"

#include <errno.h>

static void once(void *argument)
{
    berth_pool *pool;
    berth_grant grant;
    (void)argument;
    if (api_open(&pool, "a", 1, 0) != 0)
        return;
    script_together();
    api_acquire(pool, &grant);
    api_release(pool, &grant);
    api_close(pool);
}

void script_pair(void *argument)
{
    (void)argument;
    script_start("one", once, NULL);
    script_start("other", once, NULL);
    script_wait_for_all();
    api_audit("a");
}

/* ---- */

static void once_of_two(void *argument)
{
    berth_pool *pool;
    berth_grant grant;
    (void)argument;
    if (api_open(&pool, "a", 2, 0) != 0)
        return;
    script_together();
    api_acquire(pool, &grant);
    sim_sleep(8 * SIM_MS);
    api_release(pool, &grant);
    api_close(pool);
}

void script_two_slots(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 3; i++)
        script_start("one", once_of_two, NULL);
    script_wait_for_all();
    api_audit("a");
}

/* ---- */

/* Nobody dies, gives up or is stopped: then a release is all that it takes. */
void script_prompt(void *argument)
{
    (void)argument;
    oracle.bound = SIM_MS;
    sim_spawn("one", once, NULL);
    sim_spawn("other", once, NULL);
    script_wait_for_all();
    api_audit("a");
}

/* ---- */

/* Ends the process at some moment of what its other thread does. */
static void *ends_it(void *argument)
{
    (void)argument;
    for (unsigned i = choice_below(80); i > 0; i--)
        sim_give_way();
    sim_kill(sim.self->process);
    return NULL;
}

static void in_a_seat(void *argument)
{
    berth_pool *pool[2] = {NULL, NULL};
    berth_grant grant[2];
    (void)argument;
    if (api_open(&pool[0], "a", 1, 0) == 0 && api_open(&pool[1], "b", 1, 0) == 0) {
        const berth_want wants[2] = {{pool[0], 1, &grant[0]}, {pool[1], 1, &grant[1]}};
        if (choice_one_in(3))
            sim_start_thread(ends_it, NULL);
        if (choice_one_in(2) && api_all(wants, 2) == 0)
            api_release_all(wants, 2);
        else if (api_acquire(pool[0], &grant[0]) == 0)
            api_release(pool[0], &grant[0]);
    }
    for (unsigned p = 0; p < 2; p++) {
        if (pool[p] != NULL)
            api_close(pool[p]);
    }
}

/* There are so few seats that newcomers sit where the dead have sat. */
void script_seats(void *argument)
{
    (void)argument;
    api_seats = 2;
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned k = 0; k < 2; k++)
            script_start("sits", in_a_seat, NULL);
        if (choice_one_in(2))
            script_wait_for_all();
        else
            sim_sleep(choice_around(SIM_MS / 8));
    }
    script_wait_for_all();
    api_audit("a");
    api_audit("b");
}

/* ---- */

static void takes_and_dies(void *argument)
{
    berth_pool *pool;
    berth_grant grant;
    (void)argument;
    if (api_open(&pool, "a", 1, 0) != 0)
        return;
    script_together();
    api_acquire(pool, &grant);
    sim_sleep(3 * SIM_MS);
    sim_kill(sim.self->process);
}

static void gives_up(void *argument)
{
    berth_pool *pool;
    berth_grant grant;
    (void)argument;
    if (api_open(&pool, "a", 1, 0) != 0)
        return;
    script_together();
    if (api_until(pool, &grant, 2 * SIM_MS) == 0)
        api_release(pool, &grant);
    api_close(pool);
}

void script_heirs(void *argument)
{
    (void)argument;
    script_start("holder", takes_and_dies, NULL);
    script_together();
    sim_sleep(SIM_MS);
    script_start("gives up", gives_up, NULL);
    sim_sleep(SIM_MS / 2);
    script_start("heir", once, NULL);
    script_wait_for_all();
    api_audit("a");
}

/* ---- */

static void take_turns(void *argument)
{
    berth_pool *pool;
    berth_grant grant;
    (void)argument;
    if (api_open(&pool, "a", 1, 0) != 0)
        return;
    script_together();
    for (unsigned i = 0; i < 2; i++) {
        api_acquire(pool, &grant);
        api_release(pool, &grant);
    }
    api_close(pool);
    api_check_clean(3);
}

void script_hand_over(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 3; i++)
        script_start("turns", take_turns, NULL);
    script_wait_for_all();
    api_audit("a");
}

/* ---- */

static void patient(void *argument)
{
    berth_pool *pool;
    berth_grant grant;
    if (api_open(&pool, "a", argument == NULL ? 1 : 0, 0) != 0) /* with as many as it has */
        return;
    script_together();
    api_acquire(pool, &grant);
    sim_sleep(8 * SIM_MS);
    api_release(pool, &grant);
    api_close(pool);
}

static void impatient(void *argument)
{
    berth_pool *pool;
    berth_grant grant;
    (void)argument;
    if (api_open(&pool, "a", 1, 0) != 0)
        return;
    script_together();
    for (int64_t after = 0; after < 4; after++) {
        if (api_until(pool, &grant, after * (int64_t)SIM_MS) == 0)
            api_release(pool, &grant);
        if (api_try(pool, &grant) == 0)
            api_release(pool, &grant);
    }
    api_close(pool);
    api_check_clean(3);
}

void script_wait_or_not(void *argument)
{
    (void)argument;
    script_start("patient", patient, NULL);
    script_start("impatient", impatient, NULL);
    script_start("patient", patient, NULL);
    script_wait_for_all();
    api_audit("a");
}

/* ---- */

static void changes_size(void *argument)
{
    static const unsigned sizes[] = {1, 3, 0, 2};
    berth_pool *pool;
    (void)argument;
    if (api_open(&pool, "a", 0, 0) != 0)
        return;
    script_together();
    const bool from_outside = choice_one_in(2);
    for (unsigned i = 0; i < 4; i++) {
        if (from_outside)
            api_resize_from_outside("a", sizes[i]);
        else
            api_resize(pool, sizes[i]);
        sim_sleep(choice_around(SIM_MS));
    }
    api_close(pool);
}

void script_resize(void *argument)
{
    berth_pool *pool;
    (void)argument;
    api_open(&pool, "a", 2, 0);
    struct sim_process *resizer = script_start("resizer", changes_size, NULL);
    if (resizer != NULL)
        resizer->killable = false; /* nobody else would bring the slots back */
    for (unsigned i = 0; i < 3; i++)
        script_start("patient", patient, pool);
    script_wait_for_all();
    api_resize(pool, 2);
    api_close(pool);
    api_audit("a");
}

/* ---- */

static void wants_both(void *argument)
{
    const bool turned = argument != NULL;
    berth_pool *pool[2];
    berth_grant grant[2];
    if (api_open(&pool[0], turned ? "b" : "a", 1, 0) != 0)
        return;
    if (api_open(&pool[1], turned ? "a" : "b", 1, 0) != 0) {
        api_close(pool[0]);
        return;
    }
    script_together();
    const berth_want wants[2] = {{pool[0], 1, &grant[0]}, {pool[1], 1, &grant[1]}};
    for (unsigned i = 0; i < 2; i++) {
        if (api_all(wants, 2) == 0)
            api_release_all(wants, 2);
    }
    if (api_try_all(wants, 2) == 0)
        api_release_all(wants, 2);
    if (api_all_until(wants, 2, SIM_MS) == 0)
        api_release_all(wants, 2);
    api_close(pool[0]);
    api_close(pool[1]);
    api_check_clean(3);
}

void script_both(void *argument)
{
    static int turned;
    (void)argument;
    script_start("ab", wants_both, NULL);
    script_start("ba", wants_both, &turned);
    script_start("a", patient, NULL);
    script_wait_for_all();
    api_audit("a");
    api_audit("b");
}

/* ---- */

/* All seats are taken, by a holder and by those who wait: a newcomer is refused, and more slots are
 * given out without a seat. */
void script_full(void *argument)
{
    berth_pool *pool;
    (void)argument;
    api_seats = 3;
    api_open(&pool, "a", 1, 0);
    api_close(pool);
    for (unsigned i = 0; i < 3; i++)
        script_start("patient", patient, NULL);
    script_together();
    sim_sleep(SIM_MS);
    if (api_open(&pool, "a", 0, BERTH_EXISTING) == 0) /* somebody has left already */
        api_close(pool);
    api_resize_from_outside("a", 2);
    sim_sleep(choice_around(4 * SIM_MS));
    api_resize_from_outside("a", choice_below(2));
    sim_sleep(choice_around(4 * SIM_MS));
    api_resize_from_outside("a", 3);
    script_wait_for_all();
    api_audit("a");
}
