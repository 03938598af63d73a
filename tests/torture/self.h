/* A thread of a tortured process, as it knows itself. */
#ifndef BERTH_TORTURE_SELF_H
#define BERTH_TORTURE_SELF_H

#include "board.h"

struct self {
    struct board *board;
    unsigned place, thread;
    uint64_t identity;
    uint64_t random;
    bool settled;   /* see order.h */
    uint64_t size;  /* the board's, before the call */
    uint64_t floor; /* the newest token, before the call */
};

static inline struct board_thread *self_corner(const struct self *self)
{
    return &self->board->place[self->place].thread[self->thread];
}

#endif
