/* The processes that have a pool open, whether they hold a slot, wait, or neither. The kernel tells
 * which seats are locked. */
#include "berth.h"

#include "pool/cancel.h"
#include "pool/file.h"
#include "pool/handle.h"
#include "pool/options.h"
#include "pool/owner_process.h"
#include "pool/reason.h"
#include "pool/remote_pool.h"
#include "pool/seat.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void describe(const struct pool_seat *seat, unsigned number, berth_user *user)
{
    const uint64_t opened = atomic_load(&seat->opened);
    *user = (berth_user){.number = number, .pid = (int)atomic_load(&seat->pid)};
    user->since.tv_sec = (time_t)(opened / 1000);
    user->since.tv_nsec = (long)(opened % 1000 * 1000000);
    memcpy(user->command, seat->command, sizeof user->command);
    user->command[sizeof user->command - 1] = '\0';
    if (gethostname(user->host, sizeof user->host) != 0)
        user->host[0] = '\0';
    user->host[sizeof user->host - 1] = '\0';
    pool_process_describe(user, atomic_load(&seat->owner_namespace));
}

/* From one locked seat to the next: as many questions to the kernel as there are handles, and
 * one. */
static int each_seat(const struct pool_file *file,
                     int (*each)(const berth_user *user, void *context), void *context)
{
    struct os_range found = {0}, rest = {.start = POOL_SEAT_BYTE, .length = file->geometry.seats};
    int result = 0;
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult)
    while (result == 0 && rest.length > 0 && os_lock_find(file->fd, rest, &found) == 0) {
        berth_user user;
        const int64_t end = rest.start + rest.length;
        if (pool_range_is_of_removal(found) || found.start < rest.start || found.start >= end)
            break;
        const unsigned seat = (unsigned)(found.start - POOL_SEAT_BYTE);
        describe(&file->seat[seat], seat, &user);
        result = each(&user, context);
        rest = (struct os_range){.start = found.start + 1, .length = end - found.start - 1};
    }
    return result;
}

static int look(struct pool_file *file, const char *name, const berth_options *options)
{
    return remote_store(options) != NULL
               ? pool_fail(ENOSYS, "the store of pool %s does not tell who has it open", name)
               : pool_file_view(file, name, options);
}

int berth_openers(const char *name, const berth_options *options,
                  int (*each)(const berth_user *user, void *context), void *context)
{
    struct pool_file file;
    berth_options known;
    if (name == NULL || each == NULL)
        return handle_needs(name == NULL ? "the name of the pool" : "the function to call");
    int error = pool_options_read(options, &known);
    if (error == 0)
        error = UNCANCELLED(look(&file, name, &known));
    if (error != 0)
        return error;
    error = each_seat(&file, each, context);
    pool_file_close(&file);
    return error;
}
