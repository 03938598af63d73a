#include "pool/file.h"

#include "pool/create.h"
#include "pool/find.h"
#include "pool/mapping.h"
#include "pool/name.h"
#include "pool/reason.h"
#include "pool/removal.h"
#include "pool/renewal.h"
#include "store/store.h"

#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const berth_options no_options;

int pool_options_check(const berth_options *options)
{
    if (options == NULL)
        return 0;
    if (options->slots > BERTH_MAX_SLOTS)
        return pool_fail(EINVAL, "a pool has at most %d slots, not %u", BERTH_MAX_SLOTS,
                         options->slots);
    if (options->seats > BERTH_MAX_SEATS)
        return pool_fail(EINVAL, "a pool has at most %d seats, not %u", BERTH_MAX_SEATS,
                         options->seats);
    if (options->mode != 0 && ((options->mode & ~0666U) != 0 || (options->mode & 0600) != 0600))
        return pool_fail(EINVAL, "the mode of a pool is between 0600 and 0666, not %04o",
                         options->mode);
    if ((options->flags & ~(BERTH_EXISTING | BERTH_TIMED | POOL_UNSEATED | STORE_LANE)) != 0)
        return pool_fail(EINVAL, "unknown flags: %#x", options->flags);
    for (size_t i = 0; i < sizeof options->reserved / sizeof options->reserved[0]; i++) {
        if (options->reserved[i] != NULL)
            return pool_fail(EINVAL, "a reserved member of the options is set");
    }
    return 0;
}

/* ---- opening ---- */

/* Each round but the last is due to another process that has removed or made the file since we
 * looked. After a few rounds it sleeps, to let the others go on. */
enum { ROUNDS = 1000, QUICK_ROUNDS = 8, PAUSE_NS = 200 * 1000 };

static void pause_after(unsigned round)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    if (round >= QUICK_ROUNDS)
        nanosleep(&pause, NULL); /* a signal only makes it shorter */
}

struct opening {
    const struct pool_directory *directory;
    const char *name;
    const berth_options *options;
    pool_initialise *initialise;
};

static int create(struct pool_file *file, const struct opening *opening)
{
    int error = pool_create(file, opening->directory, opening->name, opening->options,
                            opening->initialise, POOL_STARTS_NAMELESS);
    if (error == EOPNOTSUPP)
        error = pool_create(file, opening->directory, opening->name, opening->options,
                            opening->initialise, POOL_STARTS_HIDDEN);
    if (error == EOPNOTSUPP)
        return pool_fail(error, "the file system of %s cannot hold pools",
                         opening->directory->path);
    return error;
}

/* ENOENT: there is none that lives. Otherwise as pool_find. */
static int open_existing(struct pool_file *file, const struct opening *opening)
{
    struct pool_found found;
    const unsigned mode = opening->options->mode != 0 ? opening->options->mode : S_IRUSR | S_IWUSR;
    int error = pool_find(&found, opening->directory, opening->name, POOL_TO_USE, mode);
    if (error != 0)
        return error;
    if (!found.is_dead) {
        error = pool_map(file, found.fd, &found.header, &found.geometry, true);
        if (error == 0)
            return 0;
        pool_fail(error, "cannot map the pool %s: %m", opening->name);
    } else if (!found.is_of_earlier_version) {
        error = pool_renew(&found, opening->name, opening->initialise);
    } else if ((opening->options->flags & BERTH_EXISTING) != 0) {
        error = pool_fail(ENOENT, "the pool %s is of an earlier version", opening->name);
    } else {
        error = pool_retire(opening->directory, opening->name, &found);
        if (error == 0)
            error = ENOENT;
        else if (error == EBUSY) /* another process was faster, or is doing it */
            error = EIDRM;
    }
    close(found.fd);
    return error;
}

static int open_or_create(struct pool_file *file, const struct opening *opening)
{
    const bool may_create = (opening->options->flags & BERTH_EXISTING) == 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        pause_after(round);
        int error = open_existing(file, opening);
        if (error == ENOENT && may_create) {
            error = create(file, opening);
            if (error == EEXIST)
                continue;
        }
        if (error != EIDRM)
            return error;
    }
    return pool_fail(EAGAIN, "others keep removing the pool %s and making it again", opening->name);
}

int pool_file_open(struct pool_file *file, const char *name, const berth_options *options,
                   pool_initialise *initialise)
{
    struct pool_directory directory;
    *file = (struct pool_file){.fd = -1, .mark = -1};
    if (options == NULL)
        options = &no_options;
    int error = pool_options_check(options);
    if (error == 0)
        error = pool_name_check(name, options);
    if (error == 0)
        error = pool_directory_open(&directory, options, (options->flags & BERTH_EXISTING) == 0);
    if (error != 0)
        return error;
    const struct opening opening = {&directory, name, options, initialise};
    error = open_or_create(file, &opening);
    pool_directory_close(&directory);
    return error;
}

/* Anybody who may write to the file can give it a second name, in a directory of their own, and
 * then it does not show in the number of names that the pool has been removed. */
static int still_named(const struct pool_file *file, const char *name, const berth_options *options)
{
    struct pool_directory directory;
    struct stat status;
    if (fstat(file->fd, &status) == 0 && status.st_nlink == 1)
        return 0;
    int error = pool_directory_open(&directory, options, false);
    if (error == 0) {
        error = pool_has_name(&directory, name, file->fd);
        pool_directory_close(&directory);
    }
    return error == ENOENT ? EIDRM : error;
}

int pool_file_enter(struct pool_file *file, unsigned *seat, const char *name,
                    const berth_options *options, pool_initialise *initialise)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        pause_after(round);
        int error = pool_file_open(file, name, options, initialise);
        if (error != 0)
            return error;
        error = pool_seat_take(file, seat);
        if (error == EUSERS && options != NULL && (options->flags & POOL_UNSEATED) != 0) {
            *seat = POOL_NO_SEAT;
            error = 0;
        }
        if (error == 0)
            error = still_named(file, name, options);
        if (error == 0)
            return 0;
        pool_file_close(file); /* and with it the seat */
        if (error != EIDRM)
            return error;
    }
    return pool_fail(EAGAIN, "others keep removing the pool %s and making it again", name);
}

/* ---- looking ---- */

static int view_in(struct pool_file *file, const struct pool_directory *directory, const char *name)
{
    struct pool_found found;
    int error = pool_find(&found, directory, name, POOL_TO_VIEW, 0);
    if (error != 0)
        return error;
    /* One of an earlier boot is a pool that nobody uses. */
    if (found.is_of_earlier_version)
        error = pool_fail(ENOENT, "the pool %s is of an earlier version", name);
    else if ((error = pool_map(file, found.fd, &found.header, &found.geometry, false)) != 0)
        pool_fail(error, "cannot map the pool %s: %m", name);
    if (error != 0)
        close(found.fd);
    return error;
}

int pool_file_view(struct pool_file *file, const char *name, const berth_options *options)
{
    struct pool_directory directory;
    *file = (struct pool_file){.fd = -1, .mark = -1};
    int error = pool_name_check(name, options);
    if (error == 0)
        error = pool_directory_open(&directory, options, false);
    if (error != 0)
        return error;
    error = EIDRM;
    for (unsigned round = 0; error == EIDRM && round < ROUNDS; round++)
        error = view_in(file, &directory, name);
    pool_directory_close(&directory);
    return error;
}

int pool_is_damaged(const struct pool_file *file)
{
    return pool_fail(EPROTO, "pool %s is damaged: its words contradict each other", file->name);
}
