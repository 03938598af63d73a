/*
 * All seats are locked during this, as they are for a removal. The boot id is written last: a
 * process that is killed before that leaves a pool of an earlier boot, and the next begins again.
 */
#include "pool/renewal.h"

#include "os/clock.h"
#include "os/io.h"
#include "os/range_lock.h"
#include "pool/header.h"
#include "pool/mapping.h"
#include "pool/reason.h"
#include "pool/seat.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

/* Above all tokens that the pool has given, in case the clock was set back. */
static uint64_t next_token_base(const struct pool_file *file)
{
    const uint64_t tickets = atomic_load(&file->control->draw) >> file->geometry.seat_bits;
    const uint64_t after = file->token_base + tickets + 1;
    const uint64_t now = os_now(CLOCK_REALTIME) / 1000;
    return now > after ? now : after;
}

static int write_header(int fd, const struct pool_header *header)
{
    int error = os_write(fd, &header->token_base, sizeof header->token_base,
                         offsetof(struct pool_header, token_base));
    return error != 0 ? error
                      : os_write(fd, header->boot, sizeof header->boot,
                                 offsetof(struct pool_header, boot));
}

/* With all seats locked. */
static int renew(const struct pool_found *found, const char *name, pool_initialise *initialise)
{
    struct pool_file file;
    struct pool_header header;
    int error = pool_header_read(found->fd, &header);
    if (error == 0 && !pool_header_is_of_other_boot(&header))
        return EIDRM;
    if (error == 0)
        error = pool_map(&file, found->fd, &found->header, &found->geometry, true);
    if (error != 0)
        return error;
    const uint64_t slots = atomic_load(&file.control->target);
    pool_header_make(&header, name, &found->geometry);
    header.token_base = next_token_base(&file);
    memset((char *)file.map + POOL_CONTROL_AT, 0, found->geometry.size - POOL_CONTROL_AT);
    initialise(&file, slots >= 1 && slots <= BERTH_MAX_SLOTS ? (unsigned)slots : 1);
    if (slots == 0)
        atomic_store(&file.control->target, 0); /* the next acquire does the rest */
    error = write_header(found->fd, &header);
    munmap(file.map, found->geometry.size);
    return error != 0 ? error : EIDRM;
}

int pool_renew(const struct pool_found *found, const char *name, pool_initialise *initialise)
{
    int error = os_lock_take(found->fd, POOL_ALL_SEATS);
    if (error == EAGAIN)
        return EIDRM; /* another process is doing it, or was faster */
    if (error == 0) {
        error = renew(found, name, initialise);
        os_lock_drop(found->fd, POOL_ALL_SEATS);
    }
    return error == EIDRM
               ? error
               : pool_fail(error, "cannot renew the pool %s, which is of an earlier boot: %m",
                           name);
}

bool pool_was_renewed(const struct pool_file *file)
{
    const struct pool_header *header = file->map;
    return header->token_base != file->token_base;
}
