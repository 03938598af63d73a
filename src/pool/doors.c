#include "pool/doors.h"

#include "os/clock.h"
#include "pool/handle.h"

#include <stdlib.h>
#include <string.h>

bool doors_same_pool(const berth_pool *one, const berth_pool *other)
{
    if (*one->mine == REMOTE)
        return strcmp(one->queue.file.name, other->queue.file.name) == 0;
    struct door a, b;
    return door_name(&a, &one->queue.file) == 0 && door_name(&b, &other->queue.file) == 0 &&
           door_compare(&a, &b) == 0;
}

static int by_door(const void *one, const void *other)
{
    return door_compare(one, other); /* it comes first in its element */
}

static void close_all(struct doors *doors)
{
    for (size_t i = 0; i < doors->count; i++)
        door_close(&doors->of[i].door);
}

int doors_enter(struct doors *doors, const berth_want *wants, size_t count,
                struct store_patience patience)
{
    *doors = (struct doors){.remote = *wants[0].pool->mine == REMOTE ? wants[0].pool : NULL};
    if (doors->remote != NULL)
        return remote_enter_door(&doors->remote->remote, patience, &doors->remote_door);
    const uint64_t deadline =
        patience.deadline != NULL ? os_nanoseconds(patience.deadline) : UINT64_MAX;
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++) {
        doors->of[i].pool = wants[i].pool;
        error = door_find(&doors->of[i].door, &wants[i].pool->queue.file);
        doors->count += error == 0;
    }
    qsort(doors->of, doors->count, sizeof doors->of[0], by_door);
    for (size_t i = 0; i < doors->count && error == 0; i++) {
        if (i == 0 || door_compare(&doors->of[i - 1].door, &doors->of[i].door) != 0)
            error = door_enter(&doors->of[i].door, &doors->of[i].pool->queue.file, deadline);
    }
    if (error != 0)
        close_all(doors);
    return error;
}

int doors_leave(struct doors *doors)
{
    if (doors->remote != NULL)
        return remote_leave_door(&doors->remote->remote, doors->remote_door);
    close_all(doors);
    return 0;
}
