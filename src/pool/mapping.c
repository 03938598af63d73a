#include "pool/mapping.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int pool_map(struct pool_file *file, int fd, const struct pool_header *header,
             const struct pool_geometry *geometry, bool writable)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return errno;
    void *map = mmap(NULL, geometry->size, writable ? PROT_READ | PROT_WRITE : PROT_READ,
                     MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return errno;
    char *const base = map;
    *file = (struct pool_file){
        .fd = fd,
        .mark = -1,
        .device = status.st_dev,
        .inode = status.st_ino,
        .map = map,
        .geometry = *geometry,
        .token_base = header->token_base,
        .control = (void *)(base + POOL_CONTROL_AT),
        .slot = (void *)(base + POOL_SLOT_AT),
        .since = (void *)(base + POOL_SINCE_AT),
        .ring = (void *)(base + POOL_RING_AT),
        .arrived = (void *)(base + geometry->arrived),
        .seat = (void *)(base + geometry->seat),
    };
    memcpy(file->name, header->name, sizeof file->name);
    return 0;
}

void pool_file_close(struct pool_file *file)
{
    if (file->map != NULL)
        munmap(file->map, file->geometry.size);
    file->map = NULL;
    pool_file_abandon(file);
}

void pool_file_abandon(struct pool_file *file)
{
    if (file->fd >= 0 && pool_file_is_ours(file))
        close(file->fd);
    *file = (struct pool_file){.fd = -1, .mark = -1};
}
