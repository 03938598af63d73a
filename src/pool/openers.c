/* The processes that have a pool open, whether they hold a slot, wait, or neither. The kernel tells
 * which seats are locked. */
#include "berth.h"

#include "os/foreign.h"
#include "pool/cancel.h"
#include "pool/file.h"
#include "pool/handle.h"
#include "pool/options.h"
#include "pool/owner_process.h"
#include "pool/reason.h"
#include "pool/remote_pool.h"
#include "pool/seat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void describe(const struct pool_file *file, const struct pool_seat *seat, unsigned number,
                     berth_user *user)
{
    const uint64_t opened = atomic_load(&seat->opened);
    *user = (berth_user){.number = number, .pid = (int)atomic_load(&seat->pid)};
    user->since.tv_sec = (time_t)(opened / 1000);
    user->since.tv_nsec = (long)(opened % 1000 * 1000000);
    os_clean(user->command, sizeof user->command, OS_FOREIGN(seat->command));
    if (gethostname(user->host, sizeof user->host) != 0)
        user->host[0] = '\0';
    user->host[sizeof user->host - 1] = '\0';
    pool_process_of_seat(user, file, seat);
}

/* Looks for a seat among `from`..`end - 1` that another open file has locked; *seat is one, which
 * need not be the first: the kernel looks at locks in the order of its own list. ENOENT: there is
 * none. */
static int find_taken(const struct pool_file *file, unsigned from, unsigned end, unsigned *seat)
{
    const struct os_range range = pool_seats_range(from, end - from);
    struct os_range found = {0};
    const int error = from >= end ? ENOENT : os_lock_find(file->fd, range, &found);
    if (error != 0)
        return error;
    if (pool_range_is_of_removal(found) || found.start >= range.start + range.length ||
        found.start + found.length <= range.start)
        return ENOENT; /* it is no seat's */
    *seat = found.start < range.start ? from : pool_seat_of(found.start);
    return 0;
}

/* Calls `each` for the taken seats, the first one first. The kernel is asked about what lies before
 * each seat that it names, until nothing does: two questions for each handle, and one. */
static int each_seat(const struct pool_file *file,
                     int (*each)(const berth_user *user, void *context), void *context)
{
    const unsigned seats = file->geometry.seats;
    bool *taken = calloc(seats + 1, sizeof *taken);
    int result = 0;
    if (taken == NULL)
        return pool_fail(ENOMEM, "there is no memory for who has pool %s open", file->name);
    taken[seats] = true; /* so that a search for the next one ends */
    for (unsigned from = 0; from < seats && result == 0; from++) {
        unsigned next = from, seat;
        int error;
        while (!taken[next])
            next++;
        while ((error = find_taken(file, from, next, &seat)) == 0)
            taken[next = seat] = true;
        from = next;
        if (error != ENOENT) {
            result = pool_fail(error, "cannot ask who has pool %s open: %m", file->name);
        } else if (from < seats) {
            berth_user user;
            describe(file, &file->seat[from], from, &user);
            result = each(&user, context);
        }
    }
    free(taken);
    return result;
}

static int look_for_openers(const char *name, const berth_options *options,
                            int (*each)(const berth_user *user, void *context), void *context)
{
    struct pool_file file;
    if (remote_store(options) != NULL)
        return pool_fail(ENOSYS, "the store of pool %s does not tell who has it open", name);
    int error = pool_file_view(&file, name, options);
    if (error != 0)
        return error;
    error = each_seat(&file, each, context);
    pool_file_close(&file);
    return error;
}

int berth_openers(const char *name, const berth_options *options,
                  int (*each)(const berth_user *user, void *context), void *context)
{
    berth_options known;
    if (name == NULL || each == NULL)
        return handle_needs(name == NULL ? "the name of the pool" : "the function to call");
    const int error = pool_options_read(options, &known);
    return error != 0 ? error : UNCANCELLED(look_for_openers(name, &known, each, context));
}
