/* A library that is broken on purpose, by --wrap: whoever takes the seat of a dead one does not
 * give up what that had, so that slots are lost. The torture has to find it out. */
#include "pool/queue.h"

int __wrap_queue_sweep(struct pool_file *file, unsigned seat);

int __wrap_queue_sweep(struct pool_file *file, unsigned seat)
{
    (void)file, (void)seat;
    return 0;
}
