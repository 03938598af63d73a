/* System calls that fail: one of a run, which is named by its number among those that can, and by
 * which of its errors it gives. */
#include "oracle.h"

#include <errno.h>
#include <string.h>

void sim_fault_begin(unsigned at, unsigned choice)
{
    sim.fault = (struct sim_fault){.at = at, .choice = choice};
}

int sim_fault(const char *call, const int *errors, unsigned count)
{
    struct sim_fault *fault = &sim.fault;
    if (sim.self == NULL || fault->over)
        return 0;
    const unsigned number = ++fault->calls;
    if (number <= SIM_FAULTS)
        fault->choices[number - 1] = (unsigned char)count;
    if (number != fault->at || fault->choice >= count)
        return 0;
    fault->birth = sim.self->process->birth;
    fault->error = errors[fault->choice];
    if (sim.self->call != NULL)
        sim.self->call->alone = false; /* it may not see that a slot is free */
    sim_say("  %s fails: %s", call, strerrorname_np(fault->error));
    return fault->error;
}
