/*
 * The loans of a guardian's holder (store/chain.h). What the holder has borrowed is kept until its
 * ward is dead. What it has lent is over when the holder is dead: those that work in it are told
 * so, and are waited for, before the slot is given to somebody else.
 */
#ifndef BERTH_STORE_GUARDIAN_LOANS_H
#define BERTH_STORE_GUARDIAN_LOANS_H

#include "store/etcd/guard.h"

/* GUARD_LENT and GUARD_BORROWED; the descriptor is taken. */
void loans_take(const struct guard_message *message, int fd);
/* GUARD_RETURNED. */
void loans_drop(const struct guard_message *message);

/* Until when what was borrowed can be relied on, STORE_CLOCK; UINT64_MAX: nothing was. */
uint64_t loans_borrowed_until(void);

/* The holder and its ward are dead: what it had borrowed goes back. */
void loans_give_back(void);
/* Ends what it has lent, and waits until nobody works in it; not for longer than the lease. */
void loans_wait(uint64_t good_until);

#endif
