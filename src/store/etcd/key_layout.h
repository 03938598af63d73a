/*
 * Where things are in etcd. P is the store's prefix, with a slash at both ends.
 *
 *     P.berth                   says that the prefix is berth's, and in which format
 *     P.door                    the store's door (door.c): under a lease
 *     Ppools/NAME               a pool: its number of slots
 *     Puse/NAME/c/CLIENT        a handle that is open; under its lease, like all that follows
 *     Puse/NAME/w/ENTRY         an entry that waits; the order is that of creation
 *     Puse/NAME/s/SLOT          a slot that is held; the revision of its last change is the token
 *     Puse/NAME/u/SLOT          a slot that is in use: not under a lease, so that it stays if the
 *                               holder's lease ends. Then it is taken over after a while (serve.c)
 *     Puse/NAME/m/ENTRY         the slot that an entry was given; its client watches m/CLIENT.
 *
 * CLIENT is 16 hexadecimal digits drawn at random, ENTRY is CLIENT.NUMBER, SLOT has four digits.
 */
#ifndef BERTH_STORE_ETCD_KEY_LAYOUT_H
#define BERTH_STORE_ETCD_KEY_LAYOUT_H

#include "berth.h"

#include <stdbool.h>
#include <stdint.h>

#define LAYOUT_MARK "berth 1"

enum {
    LAYOUT_FORMAT = 1,
    LAYOUT_PREFIX = 128, /* with both slashes and the final 0 */
    LAYOUT_CLIENT = 17,
    LAYOUT_ENTRY = LAYOUT_CLIENT + 21,
    LAYOUT_KEY = LAYOUT_PREFIX + BERTH_NAME_MAX + LAYOUT_ENTRY + 16,
};

struct layout {
    char prefix[LAYOUT_PREFIX];
    char name[BERTH_NAME_MAX + 1];
};

typedef char layout_key[LAYOUT_KEY];

/* A copy that always ends in '\0', truncated to `room`. */
void layout_copy(char *to, size_t room, const char *from);

/* The folders of a pool; with an empty `rest`, the folder itself, which ends in a slash. */
#define LAYOUT_CLIENTS 'c'
#define LAYOUT_WAITERS 'w'
#define LAYOUT_SLOTS 's'
#define LAYOUT_MAIL 'm'
#define LAYOUT_USED 'u'
void layout_in(const struct layout *layout, char folder, const char *rest, layout_key key);
void layout_slot(const struct layout *layout, unsigned slot, layout_key key);
void layout_used(const struct layout *layout, unsigned slot, layout_key key);

void layout_mark(const struct layout *layout, layout_key key);
void layout_door(const struct layout *layout, layout_key key);
void layout_pool(const struct layout *layout, layout_key key); /* the folder, if it has no name */

/* The end of the range of all keys that begin with `key`. */
void layout_end(const char *key, layout_key end);

#endif
