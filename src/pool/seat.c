/*
 * A seat is a lock. The kernel alone says whether it is taken; the process id in the
 * seat's line only says where to look first: at seats that were left normally. So hundreds of
 * living neighbours do not slow this down.
 */
#include "pool/seat.h"

#include "os/process.h"
#include "pool/file.h"
#include "pool/bits.h"
#include "pool/loan.h"
#include "pool/reason.h"
#include "pool/renewal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { REMOVAL_ROUNDS = 1000, REMOVAL_PAUSE_NS = 100 * 1000 };

/* A place to start from, so that processes that come at the same moment do not all try the same
 * seats. */
static unsigned somewhere(unsigned seats)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now); /* left at 0 if it fails, which does no harm */
    uint64_t mixed = (uint64_t)getpid() << 32 ^ (uint64_t)now.tv_nsec;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((mixed >> 32) % seats);
}

static bool looks_free(const struct pool_file *file, unsigned seat)
{
    return atomic_load_explicit(&file->seat[seat].pid, memory_order_relaxed) == 0;
}

static bool removal_is_under_way(const struct pool_file *file, unsigned seat)
{
    struct os_range found;
    return os_lock_find(file->fd, pool_seat_range(seat), &found) == 0 &&
           pool_range_is_of_removal(found);
}

/* Whether a slot names the seat and is kept by a loan: what the seat's former owner has left is
 * then somebody's. */
static bool seat_is_kept(const struct pool_file *file, unsigned seat)
{
    const struct pool_words words = {.seat_bits = file->geometry.seat_bits}, *shared = &words;
    for (unsigned slot = 0; slot < BERTH_MAX_SLOTS; slot++) {
        if (SEAT(atomic_load(&file->slot[slot])) == seat && loan_keeps(file, slot))
            return true;
    }
    return false;
}

/* Takes the seat if neither an owner nor an heir has it. */
static int take_seat(const struct pool_file *file, unsigned seat)
{
    int error = os_lock_take(file->fd, pool_seat_range(seat));
    if (error == 0)
        error = os_lock_drop(file->fd, pool_heirs_range(seat));
    return error;
}

/* Tries those that look free, and then all. EUSERS: each was taken when it was tried. EBUSY: a
 * removal has locked them all for a moment. No reason. */
static int take_any(const struct pool_file *file, unsigned *seat)
{
    const unsigned seats = file->geometry.seats;
    const unsigned start = somewhere(seats);
    bool met = false; /* another process's lock: ask once which */
    for (unsigned i = 0; i < 2 * seats; i++) {
        *seat = (start + i) % seats;
        if (i < seats && !looks_free(file, *seat))
            continue;
        int error = take_seat(file, *seat);
        if (error == 0 && seat_is_kept(file, *seat)) {
            os_lock_drop(file->fd, pool_seat_range(*seat));
            continue;
        }
        if (error != EAGAIN)
            return error;
        if (!met && removal_is_under_way(file, *seat))
            return EBUSY;
        met = true;
    }
    return removal_is_under_way(file, start) ? EBUSY : EUSERS;
}

/* A removal takes microseconds, unless it is stopped in the middle. */
static int take_after_removal(const struct pool_file *file, unsigned *seat)
{
    int error = take_any(file, seat);
    for (unsigned round = 0; error == EBUSY && round < REMOVAL_ROUNDS; round++) {
        if (pool_file_is_gone(file))
            return EIDRM;
        const struct timespec pause = {.tv_nsec = REMOVAL_PAUSE_NS};
        nanosleep(&pause, NULL); /* a signal only makes it shorter */
        error = take_any(file, seat);
    }
    return error;
}

/* Nothing here reads or writes at the file offset, so it can tell this open file from all others:
 * from another file with the same descriptor, and from the same file opened again. */
static void mark(struct pool_file *file)
{
    static _Atomic(uint32_t) count;
    const int64_t number = atomic_fetch_add(&count, 1) & 0x3ffff, pid = getpid() & 0xfffff;
    const int64_t mine = INT64_C(1) << 38 | pid << 18 | number;
    file->mark = lseek(file->fd, mine, SEEK_SET) == mine ? mine : -1;
}

int pool_seat_take(struct pool_file *file, unsigned *seat)
{
    int error = take_after_removal(file, seat);
    if (file->mark < 0)
        mark(file);
    if (error == 0 && (pool_file_is_gone(file) || pool_was_renewed(file))) {
        os_lock_drop(file->fd, pool_seat_range(*seat));
        error = EIDRM;
    }
    switch (error) {
    case 0: break;
    case EUSERS:
        return pool_fail(
            error,
            "all %u seats of the pool %s are taken; for more, remove it when it is not "
            "in use and create it with more seats",
            file->geometry.seats, file->name);
    case EBUSY:
        return pool_fail(EAGAIN, "somebody began to remove the pool %s and does not go on",
                         file->name);
    case EIDRM: return pool_fail(error, "the pool %s has been removed", file->name);
    default: return pool_fail(error, "cannot take a seat of the pool %s: %m", file->name);
    }
    struct pool_seat *mine = &file->seat[*seat];
    memset(&mine->command, 0, sizeof mine->command);
    atomic_store(&mine->owner_namespace, 0); /* what is there is the former owner's */
    atomic_store(&mine->owner, (uint64_t)getpid());
    atomic_store(&mine->owner_namespace, os_pid_namespace());
    atomic_store(&mine->pid, (uint32_t)getpid());
    return 0;
}

void pool_seat_leave(struct pool_file *file, unsigned seat)
{
    if (seat >= file->geometry.seats)
        return;
    struct pool_seat *mine = &file->seat[seat];
    if (pool_file_is_ours(file)) { /* then so is the line in the file */
        atomic_store(&mine->pid, 0);
        memset(&mine->command, 0, sizeof mine->command);
        os_lock_drop(file->fd, pool_seat_range(seat));
    }
}

bool pool_seat_alive(const struct pool_file *file, unsigned seat)
{
    struct os_range found;
    if (seat >= file->geometry.seats)
        return false;
    int error = os_lock_find(file->fd, pool_seat_range(seat), &found);
    if (error == 0)
        return !pool_range_is_of_removal(found); /* nobody has a seat while a pool is removed */
    /* If the kernel does not answer, or was asked about another file, the process may be alive. */
    return error != ENOENT || !pool_file_is_ours(file);
}

bool pool_seat_is_orphaned(const struct pool_file *file, unsigned seat)
{
    if (seat >= file->geometry.seats)
        return true;
    const struct pool_seat *line = &file->seat[seat];
    const uint64_t namespace = atomic_load(&line->owner_namespace);
    return namespace != 0 && os_process_is_gone(atomic_load(&line->owner)) &&
           namespace == os_pid_namespace();
}

bool pool_file_is_ours(const struct pool_file *file)
{
    return file->mark < 0 || lseek(file->fd, 0, SEEK_CUR) == file->mark;
}

bool pool_file_is_gone(const struct pool_file *file)
{
    struct stat status;
    return (fstat(file->fd, &status) == 0 && status.st_nlink == 0) ||
           atomic_load(&file->control->removed) == 1;
}
