#include "store/etcd/place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* FNV-1a. */
static uint64_t add(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t place_here(void)
{
    char boot[64];
    struct stat space;
    const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    const ssize_t length = read(fd, boot, sizeof boot);
    close(fd);
    if (length <= 0 || stat("/proc/self/ns/pid", &space) != 0)
        return 0;
    const uint64_t hash = add(UINT64_C(0xcbf29ce484222325), boot, (size_t)length);
    return add(hash, &space.st_ino, sizeof space.st_ino) | 1;
}
