/* What happens at a kill point of the library in berth-torture-points: mostly nothing, seldom the
 * end of the process, or a halt until the driver lets it go on. */
#include "order.h"
#include "worker.h"

#include "stress/random.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

void step_kill_point(const char *label, unsigned line);

void step_kill_point(const char *label, unsigned line)
{
    struct self *self = worker_self();
    (void)line;
    if (self == NULL)
        return;
    if (strcmp(label, "W1") == 0)
        order_seen_waiting(self);
    if (atomic_load_explicit(&self->board->calm, memory_order_relaxed))
        return;
    const uint64_t r = stress_random(&self->random);
    const bool in_loop = label[0] == 'S' && label[1] == '5'; /* over 1,024 slots, at each opening */
    const unsigned odds = in_loop ? 512 * worker_odds() : worker_odds();
    if (r % odds == 0)
        raise(SIGKILL);
    else if (r % odds == 1)
        raise(SIGSTOP);
    else if (r % odds < 8)
        sched_yield();
}
