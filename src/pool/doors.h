/* The doors of all pools of one call (pool/door.h); of pools in another store, that store's one. */
#ifndef BERTH_POOL_DOORS_H
#define BERTH_POOL_DOORS_H

#include "berth.h"
#include "pool/door.h"
#include "store/store.h"

struct doors {
    size_t count; /* that have been entered */
    struct queue *of[BERTH_MAX_WANTS];
    const berth_pool *remote; /* NULL: the pools are in a directory, or nothing was entered */
    int64_t remote_door;
};

/* Whether two handles are of the same pool of one store. */
bool doors_same_pool(const berth_pool *one, const berth_pool *other);

/* Enters all of them. After an error, none is entered. */
int doors_enter(struct doors *doors, const berth_want *wants, size_t count,
                struct store_patience patience);

/* ESTALE: not all of them were this call's all the time. */
int doors_leave(struct doors *doors);

#endif
