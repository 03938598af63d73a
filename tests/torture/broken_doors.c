/* A library that is broken on purpose: its doors are open to everybody. */
#include "pool/door.h"

int __wrap_door_enter(const struct door *door, const struct pool_file *file, uint64_t deadline);

int __wrap_door_enter(const struct door *door, const struct pool_file *file, uint64_t deadline)
{
    (void)door, (void)file, (void)deadline;
    return 0;
}
