/* A library that is broken on purpose: its doors are open to everybody. */
#include "pool/door.h"

int __wrap_door_enter(struct queue *queue, uint64_t deadline);
void __wrap_door_leave(struct queue *queue);

int __wrap_door_enter(struct queue *queue, uint64_t deadline)
{
    (void)queue, (void)deadline;
    return 0;
}

void __wrap_door_leave(struct queue *queue)
{
    (void)queue;
}
