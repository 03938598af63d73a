#include "pool/header.h"

#include "os/clock.h"
#include "os/io.h"
#include "pool/reason.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* The kernel's boot id as text; empty where there is none to read. The rest of `boot` is zero. */
static void read_boot_id(char boot[static sizeof((struct pool_header *)NULL)->boot])
{
    const size_t size = sizeof((struct pool_header *)NULL)->boot;
    memset(boot, 0, size);
    int fd = os_open(AT_FDCWD, "/proc/sys/kernel/random/boot_id", O_RDONLY, 0);
    if (fd < 0)
        return;
    ssize_t length = os_read(fd, boot, size - 1, 0);
    close(fd);
    size_t end = length < 0 ? 0 : strcspn(boot, "\n");
    memset(boot + end, 0, size - end);
}

void pool_header_make(struct pool_header *header, const char *name,
                      const struct pool_geometry *geometry)
{
    memset(header, 0, sizeof *header); /* the padding too: it goes into the file */
    header->magic = POOL_MAGIC;
    header->version = POOL_VERSION;
    header->seats = geometry->seats;
    header->ring = geometry->ring;
    header->seat_bits = geometry->seat_bits;
    header->signature = pool_signature(geometry);
    header->token_base = os_now(CLOCK_REALTIME) / 1000;
    read_boot_id(header->boot);
    memcpy(header->name, name, strnlen(name, sizeof header->name - 1));
}

int pool_header_read(int fd, struct pool_header *header)
{
    memset(header, 0, sizeof *header);
    return os_read(fd, header, sizeof *header, 0) < 0 ? errno : 0;
}

int pool_header_check(const struct pool_header *header, const char *name, uint64_t size,
                      const char *path, struct pool_geometry *geometry)
{
    if (header->magic != POOL_MAGIC)
        return pool_fail(EPROTO, "%s is not a pool", path);
    if (header->version != POOL_VERSION)
        return pool_fail(EPROTO, "%s is a pool of version %" PRIu32 ", and this is version %d%s",
                         path, header->version, POOL_VERSION,
                         header->version < POOL_VERSION
                             ? ": it can be used when its present users have left"
                             : "");
    if (header->seats < 1 || header->seats > BERTH_MAX_SEATS)
        return pool_fail(EPROTO, "%s is damaged: it says that it has %" PRIu32 " seats", path,
                         header->seats);
    *geometry = pool_geometry_of(header->seats);
    if (header->ring != geometry->ring || header->seat_bits != geometry->seat_bits)
        return pool_fail(EPROTO,
                         "%s is damaged: a ring of %" PRIu32 " and %" PRIu32
                         " bits for a seat do not go with %" PRIu32 " seats",
                         path, header->ring, header->seat_bits, header->seats);
    if (header->signature != pool_signature(geometry))
        return pool_fail(EPROTO, "%s is laid out in another way, by another build of berth", path);
    if (memcmp(header->name, name, strlen(name) + 1) != 0)
        return pool_fail(EPROTO, "%s was made under another name", path);
    if (size != geometry->size)
        return pool_fail(EPROTO, "%s is damaged: it has %" PRIu64 " bytes instead of %zu", path,
                         size, geometry->size);
    return 0;
}

bool pool_header_is_of_earlier_version(const struct pool_header *header)
{
    return header->magic == POOL_MAGIC && header->version >= 1 && header->version < POOL_VERSION;
}

bool pool_header_is_of_other_boot(const struct pool_header *header)
{
    char boot[sizeof header->boot];
    read_boot_id(boot);
    return boot[0] != '\0' && header->boot[0] != '\0' &&
           memcmp(boot, header->boot, sizeof boot) != 0;
}
