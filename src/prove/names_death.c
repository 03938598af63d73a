/*
 * Deaths, where processes are told apart (names.c): a step that any process can make at any place.
 * It is in its remainder then and remembers nothing, and its registers are as DEATH says. That is
 * one step and not one for each place, because what is said after it does not depend on where the
 * process was.
 */
#include "prove/system.h"

void prove_names_add_death(struct prove_system *system)
{
    const struct prove_reading *reading = system->reading;
    struct prove_step *step = &system->step[system->steps++];
    prove_t me = prove_variable(system->pool, system->me), zero = prove_number(system->pool, 0);
    step->rule = &reading->killed;
    step->guard = prove_bool(system->pool, true);
    prove_add_store(system, step, system->place_of, me, zero);
    if (reading->contexts > 0)
        prove_add_store(system, step, system->context_of, me, zero);
    for (unsigned v = 0; v < reading->locals; v++)
        prove_add_store(system, step, system->local_of[v], me, zero);
    for (unsigned a = 0; a < reading->arrays; a++) {
        if (reading->killed.index[a] != NULL)
            prove_add_store(system, step, reading->array[a].symbol, reading->killed.index[a],
                            reading->killed.stored[a]);
    }
    for (unsigned m = 0; m < reading->killed.mores; m++)
        prove_add_store(system, step, reading->array[reading->killed.more[m].array].symbol,
                        reading->killed.more[m].index, reading->killed.more[m].stored);
}
