/* A library that is broken on purpose: its doors are open to everybody. */
#include "pool/door.h"

int __wrap_door_enter(struct queue *queue, uint64_t deadline, uint64_t *door);
void __wrap_door_leave(struct queue *queue, uint64_t door);

int __wrap_door_enter(struct queue *queue, uint64_t deadline, uint64_t *door)
{
    (void)queue, (void)deadline;
    *door = 0;
    return 0;
}

void __wrap_door_leave(struct queue *queue, uint64_t door)
{
    (void)queue, (void)door;
}
