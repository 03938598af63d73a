/*
 * The pool's file: made, found, trusted, mapped, listed, removed; and the seats, which are locks on
 * it. It knows nothing of tickets.
 *
 * One name, one file: every process with a seat in a pool is in the file that the pool's name
 * refers to. A file loses its name only to a process that has locked all of its seats; and one that
 * has taken a seat looks whether the file still has its name.
 *
 * Functions that can fail give 0 or an errno value, and leave a reason (pool/reason.h).
 */
#ifndef BERTH_POOL_FILE_H
#define BERTH_POOL_FILE_H

#include "pool/format.h"

#include <stdbool.h>
#include <sys/types.h>

/* A mapped pool. The geometry is this process's own copy: it was checked, and does not change if
 * another process writes to the file. */
struct pool_file {
    int fd;
    int64_t mark; /* the file offset of `fd`, which no other open file has; -1: it has none */
    dev_t device; /* of the file */
    ino_t inode;
    void *map;
    struct pool_geometry geometry;
    uint64_t token_base;
    struct pool_control *control;
    _Atomic(uint64_t) *slot, *since, *ring, *arrived;
    struct pool_seat *seat;
    char name[BERTH_NAME_MAX + 1];
};

/* Writes the first values of control, slot and ring into a new file, which no other process sees
 * yet. All of it is zero. */
typedef void pool_initialise(struct pool_file *file, unsigned slots);

/* What is wrong with the options, as far as it can be told without looking: EINVAL. NULL is
 * fine. */
int pool_options_check(const berth_options *options);

/* Writes the directory that `options` (or the environment) names into `path`; if none is named, the
 * default one. */
int pool_directory(const berth_options *options, char *path, size_t size);

/* Opens the pool for use, creating it if need be and allowed, and takes a seat; see berth_open for
 * the errors. `initialise` gets the slots of the options, or 1; the number of slots of a pool that
 * exists is compared by the caller. */
int pool_file_enter(struct pool_file *file, unsigned *seat, const char *name,
                    const berth_options *options, pool_initialise *initialise);

/* The same without a seat: the file may be removed as soon as this returns. */
int pool_file_open(struct pool_file *file, const char *name, const berth_options *options,
                   pool_initialise *initialise);

/* Maps an existing pool for reading only: a store into it is a segmentation fault. */
int pool_file_view(struct pool_file *file, const char *name, const berth_options *options);

/* Closes it, which gives up the seat unless another process has a copy of the descriptor. */
void pool_file_close(struct pool_file *file);

/* The same in a child after fork. The child has none of the parent's mappings (MADV_DONTFORK), so
 * nothing is unmapped: something else may be at that address. */
void pool_file_abandon(struct pool_file *file);

/* EPROTO, and the reason: what the protocol's words say cannot be. */
int pool_is_damaged(const struct pool_file *file);

/* Whether the file has lost its name: by pool_file_remove, or because it was deleted while in use;
 * its users then share it with no newcomer. One system call. */
bool pool_file_is_gone(const struct pool_file *file);

/* Removes a pool that nobody has a seat in; EBUSY if somebody has. */
int pool_file_remove(const char *name, const berth_options *options);

/* Takes a seat that is free, one at most for each open file: EUSERS if there is none, EIDRM if the
 * file has been removed. */
int pool_seat_take(struct pool_file *file, unsigned *seat);

/* Must not be called in a child after fork: the seat is still the parent's. */
void pool_seat_leave(struct pool_file *file, unsigned seat);

/* Whether the kernel holds the seat's lock for another open file than this one. (A handle's own
 * seat is not seen: its owner knows about it.) A seat out of range is dead. If the descriptor no
 * longer refers to the pool, it says that all are alive. */
bool pool_seat_alive(const struct pool_file *file, unsigned seat);

/* Whether it is certain that the process which took the seat has ended, though the seat may be kept
 * alive by a copy of its descriptor. */
bool pool_seat_is_orphaned(const struct pool_file *file, unsigned seat);

/* Whether the descriptor is still what it was, and no other file that the program has opened
 * since. */
bool pool_file_is_ours(const struct pool_file *file);

/* A flag in the options of pool_file_enter: where all seats are taken, the pool is opened without
 * one; then *seat is POOL_NO_SEAT. Not for users of the library, except for berth run. */
#define POOL_UNSEATED (1U << 30)
enum { POOL_NO_SEAT = BERTH_MAX_SEATS };

#endif
