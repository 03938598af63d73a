#include "pool/doors.h"

#include "os/clock.h"
#include "pool/handle.h"

#include <stdlib.h>
#include <string.h>

bool doors_same_pool(const berth_pool *one, const berth_pool *other)
{
    if (*one->mine == REMOTE)
        return strcmp(one->queue.file.name, other->queue.file.name) == 0;
    return door_compare(&one->queue, &other->queue) == 0;
}

static int by_door(const void *one, const void *other)
{
    struct queue *const *a = one, *const *b = other;
    return door_compare(*a, *b);
}

static int enter(struct doors *doors, struct queue *queue, uint64_t deadline)
{
    if (doors->count > 0 && door_compare(doors->of[doors->count - 1], queue) == 0)
        return 0; /* the same pool was named twice */
    const int error = door_enter(queue, deadline);
    if (error == 0)
        doors->of[doors->count++] = queue;
    return error;
}

int doors_enter(struct doors *doors, const berth_want *wants, size_t count,
                struct store_patience patience)
{
    if (*wants[0].pool->mine == REMOTE) {
        const int error =
            remote_call(&wants[0].pool->remote, enter_door, patience, &doors->remote_door);
        doors->remote = error == 0 ? wants[0].pool : NULL;
        return error;
    }
    const uint64_t deadline =
        patience.deadline != NULL ? os_nanoseconds(patience.deadline) : UINT64_MAX;
    struct queue *queues[BERTH_MAX_WANTS];
    for (size_t i = 0; i < count; i++)
        queues[i] = &wants[i].pool->queue;
    // NOLINTNEXTLINE(bugprone-sizeof-expression)
    qsort(queues, count, sizeof queues[0], by_door);
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++)
        error = enter(doors, queues[i], deadline);
    if (error != 0)
        doors_leave(doors);
    return error;
}

int doors_leave(struct doors *doors)
{
    const berth_pool *remote = doors->remote;
    for (; doors->count > 0; doors->count--)
        door_leave(doors->of[doors->count - 1]);
    doors->remote = NULL;
    return remote != NULL ? remote_call(&remote->remote, leave_door, doors->remote_door) : 0;
}
