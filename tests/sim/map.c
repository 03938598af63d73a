/* The heap, and mappings. A mapping keeps the open file, and so its locks, as a descriptor does. */
#include "sim.h"

#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

void *sim_malloc(size_t size)
{
    SIM_MAY_FAIL(NULL, ENOMEM);
    void *const block = sim_heap_take(size, 16);
    if (block == NULL)
        errno = ENOMEM;
    else
        memset(block, 0xa5, size); /* nobody may rely on what is in it */
    return block;
}

void *sim_calloc(size_t count, size_t size)
{
    SIM_MAY_FAIL(NULL, ENOMEM);
    void *const block = sim_heap_take(count * size, 16);
    if (block == NULL)
        errno = ENOMEM;
    else
        memset(block, 0, count * size);
    return block;
}

void sim_free(void *block)
{
    if (block != NULL)
        sim_heap_free(block);
}

void *sim_realloc(void *block, size_t size)
{
    void *const more = sim_malloc(size);
    if (more == NULL || block == NULL)
        return more;
    const size_t before = ((size_t *)block)[-2]; /* of the header in memory.c */
    memcpy(more, block, before < size ? before : size);
    sim_free(block);
    return more;
}

void *sim_reallocarray(void *block, size_t count, size_t size)
{
    return sim_realloc(block, count * size);
}

char *sim_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *const copy = sim_malloc(size);
    return copy == NULL ? NULL : memcpy(copy, text, size);
}

/* ---- mappings ---- */

static struct sim_anonymous *find_anonymous(const void *at)
{
    struct sim_process *process = sim.self->process;
    for (unsigned i = 0; i < SIM_ANONYMOUS; i++) {
        if (process->anonymous[i].at == at)
            return &process->anonymous[i];
    }
    return NULL;
}

static void *map_nothing(size_t size)
{
    struct sim_anonymous *one = find_anonymous(NULL);
    char *const at = one == NULL ? NULL : sim_heap_take(size, 4096);
    if (at == NULL) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    memset(at, 0, size);
    *one = (struct sim_anonymous){.at = at, .size = size};
    return at;
}

/* At the first address that is free in this process, so that one which was given back, or which a
 * fork did not inherit, is soon used again. */
static void *map_file(struct sim_ofd *ofd, size_t offset, size_t size, bool writable)
{
    const int memory = ofd->inode->memory;
    struct sim_view *views = sim.self->process->view[memory];
    for (unsigned v = 0; v < SIM_VIEWS; v++) {
        if (views[v].ofd != NULL)
            continue;
        ofd->refs++;
        views[v] = (struct sim_view){.ofd = ofd, .writable = writable, .size = offset + size};
        sim_say("  mmap of %zu bytes at view %d.%u", size, memory, v);
        return (char *)sim_view_address(memory, v) + offset;
    }
    sim_fail("the simulator maps a file at most %d times in a process", SIM_VIEWS);
    return MAP_FAILED;
}

void *sim_mmap(void *wish, size_t size, int protection, int flags, int fd, off_t offset)
{
    (void)wish;
    sim_enter();
    SIM_MAY_FAIL(MAP_FAILED, ENOMEM);
    if ((flags & MAP_ANONYMOUS) != 0)
        return map_nothing(size);
    struct sim_ofd *ofd = sim_fd_get(fd);
    if (ofd == NULL)
        return MAP_FAILED;
    const bool writable = (protection & PROT_WRITE) != 0;
    if (ofd->inode == NULL || ofd->inode->memory < 0 || (size_t)offset + size > sim_file_room()) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    if (writable && (ofd->flags & O_ACCMODE) != O_RDWR) {
        errno = EACCES;
        return MAP_FAILED;
    }
    return map_file(ofd, (size_t)offset, size, writable);
}

void sim_process_unmap(struct sim_process *process, unsigned memory, unsigned view)
{
    struct sim_ofd *ofd = process->view[memory][view].ofd;
    process->view[memory][view] = (struct sim_view){0};
    if (ofd != NULL)
        sim_ofd_drop(ofd);
}

unsigned sim_open_views(const struct sim_process *process)
{
    unsigned count = 0;
    for (unsigned m = 0; m < SIM_FILES; m++) {
        for (unsigned v = 0; v < SIM_VIEWS; v++)
            count += process->view[m][v].ofd != NULL;
    }
    return count;
}

/* What is not mapped is unmapped without complaint, as in the kernel. */
int sim_munmap(void *at, size_t size)
{
    int memory;
    unsigned view;
    (void)size;
    sim_enter();
    if (sim_view_of(at, &memory, &view)) {
        sim_say("  munmap of view %d.%u", memory, view);
        sim_process_unmap(sim.self->process, (unsigned)memory, view);
        return 0;
    }
    struct sim_anonymous *one = at == NULL ? NULL : find_anonymous(at);
    if (one != NULL) {
        sim_heap_free(one->at);
        *one = (struct sim_anonymous){0};
    }
    return 0;
}

int sim_madvise(void *at, size_t size, int advice)
{
    int memory;
    unsigned view;
    (void)size;
    sim_enter();
    SIM_MAY_FAIL(-1, ENOMEM);
    struct sim_anonymous *one = find_anonymous(at);
    struct sim_view *mapped =
        sim_view_of(at, &memory, &view) ? &sim.self->process->view[memory][view] : NULL;
    if (one == NULL && (mapped == NULL || mapped->ofd == NULL)) {
        errno = ENOMEM;
        return -1;
    }
    if (advice == MADV_WIPEONFORK && one != NULL) {
        one->wipe = true;
    } else if (advice == MADV_DONTFORK || advice == MADV_DOFORK) {
        *(one != NULL ? &one->dont_fork : &mapped->dont_fork) = advice == MADV_DONTFORK;
    } else if (advice == MADV_WIPEONFORK) { /* not for what is shared */
        errno = EINVAL;
        return -1;
    }
    return 0;
}
