/* A library that is broken on purpose, by --wrap: a process that takes the seat of a dead one does
 * not give up what that had, so that slots are lost. The torture has to find it out. */
#include "pool/queue.h"

int __wrap_queue_sweep(struct queue *queue);

int __wrap_queue_sweep(struct queue *queue)
{
    (void)queue;
    return 0;
}
