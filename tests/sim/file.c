/*
 * Descriptors, open files, and one directory: /store. Of /proc there is what the library asks for.
 * File systems without O_TMPFILE, and kernels that do not link a nameless file directly, are a
 * matter of two switches.
 */
#include "sim.h"

#include "calls.h"
#include "oracle.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

static int fails(int error)
{
    errno = error;
    return -1;
}

/* ---- inodes and names ---- */

static struct sim_inode *store(void)
{
    return &sim.inode[0];
}

void sim_files_begin(void)
{
    *store() = (struct sim_inode){.used = true,
                                  .directory = true,
                                  .links = 2,
                                  .mode = S_IFDIR | 0700,
                                  .number = 2,
                                  .memory = -1};
}

static int free_memory(void)
{
    bool taken[SIM_FILES] = {false};
    for (unsigned i = 0; i < SIM_INODES; i++) {
        if (sim.inode[i].used && sim.inode[i].memory >= 0)
            taken[sim.inode[i].memory] = true;
    }
    for (int m = 0; m < SIM_FILES; m++) {
        if (!taken[m])
            return m;
    }
    return -1;
}

static struct sim_inode *new_inode(unsigned mode)
{
    const int memory = free_memory();
    for (unsigned i = 1; i < SIM_INODES && memory >= 0; i++) {
        if (sim.inode[i].used)
            continue;
        sim_file_clear(memory);
        sim.inode[i] = (struct sim_inode){
            .used = true, .mode = S_IFREG | mode, .number = 100 + ++sim.serials, .memory = memory};
        return &sim.inode[i];
    }
    sim_fail("the simulator has room for %d files", SIM_FILES);
    return NULL;
}

static void inode_settle(struct sim_inode *inode)
{
    if (inode != NULL && inode->links == 0 && inode->opens == 0)
        inode->used = false;
}

static struct sim_name *find_name(const char *name)
{
    for (unsigned i = 0; i < SIM_INODES; i++) {
        if (sim.name[i].inode != NULL && strcmp(sim.name[i].name, name) == 0)
            return &sim.name[i];
    }
    return NULL;
}

struct sim_inode *sim_lookup(const char *name)
{
    const struct sim_name *found = find_name(name);
    return found == NULL ? NULL : found->inode;
}

static int add_name(const char *name, struct sim_inode *inode)
{
    if (find_name(name) != NULL)
        return fails(EEXIST);
    for (unsigned i = 0; i < SIM_INODES; i++) {
        if (sim.name[i].inode != NULL)
            continue;
        snprintf(sim.name[i].name, sizeof sim.name[i].name, "%s", name);
        sim.name[i].inode = inode;
        inode->links++;
        return 0;
    }
    return fails(ENOSPC);
}

static void remove_name(struct sim_name *name)
{
    struct sim_inode *inode = name->inode;
    name->inode = NULL;
    inode->links--;
    sim_notify_unlinked(inode);
    inode_settle(inode);
}

void sim_unlink(const char *name)
{
    struct sim_name *found = find_name(name);
    sim_say("unlinks %s%s", name, found == NULL ? ", which is not there" : "");
    if (found == NULL)
        return;
    sim.removed_by_hand = true;
    remove_name(found);
}

/* ---- open files ---- */

struct sim_ofd *sim_ofd_new(enum sim_kind kind, struct sim_inode *inode, int flags)
{
    for (unsigned i = 0; i < SIM_OFDS; i++) {
        if (sim.ofd[i].refs != 0)
            continue;
        sim.ofd[i] = (struct sim_ofd){
            .kind = kind, .refs = 1, .flags = flags, .inode = inode, .serial = ++sim.serials};
        if (inode != NULL)
            inode->opens++;
        if (i >= sim.ofds)
            sim.ofds = i + 1;
        return &sim.ofd[i];
    }
    sim_fail("the simulator has room for %d open files", SIM_OFDS);
    return NULL;
}

void sim_ofd_drop(struct sim_ofd *ofd)
{
    if (--ofd->refs > 0)
        return;
    sim_locks_drop(ofd);
    if (ofd->inode != NULL) {
        ofd->inode->opens--;
        inode_settle(ofd->inode);
    }
    ofd->inode = NULL;
}

int sim_fd_new(struct sim_ofd *ofd, int from, bool cloexec)
{
    struct sim_process *process = sim.self->process;
    for (int fd = from; fd < SIM_FDS; fd++) {
        if (process->fd[fd].ofd == NULL) {
            process->fd[fd] = (struct sim_fd){ofd, cloexec};
            return fd;
        }
    }
    sim_ofd_drop(ofd);
    return fails(EMFILE);
}

struct sim_ofd *sim_fd_get(int fd)
{
    struct sim_process *process = sim.self->process;
    if (fd < 0 || fd >= SIM_FDS || process->fd[fd].ofd == NULL) {
        errno = EBADF;
        return NULL;
    }
    return process->fd[fd].ofd;
}

unsigned sim_open_fds(const struct sim_process *process)
{
    unsigned count = 0;
    for (unsigned fd = 0; fd < SIM_FDS; fd++)
        count += process->fd[fd].ofd != NULL;
    return count;
}

int sim_close(int fd)
{
    sim_enter();
    sim_cancellation_point();
    struct sim_ofd *ofd = sim_fd_get(fd);
    if (ofd == NULL)
        return -1;
    sim.self->process->fd[fd].ofd = NULL;
    sim_ofd_drop(ofd);
    return 0;
}

/* ---- opening ---- */

static int open_inode(struct sim_inode *inode, int flags)
{
    return sim_fd_new(sim_ofd_new(SIM_FILE, inode, flags), 0, (flags & O_CLOEXEC) != 0);
}

static int open_proc(const char *path, int flags)
{
    int fd;
    if (strcmp(path, "/proc/sys/kernel/random/boot_id") == 0)
        return sim_fd_new(sim_ofd_new(SIM_TEXT, NULL, flags), 0, (flags & O_CLOEXEC) != 0);
    if (sscanf(path, "/proc/self/fd/%d", &fd) == 1) {
        struct sim_ofd *ofd = sim_fd_get(fd);
        if (ofd == NULL || ofd->inode == NULL)
            return fails(ENOENT);
        return open_inode(ofd->inode, flags);
    }
    return fails(ENOENT);
}

/* The part of the path below /store, "" for the directory itself; NULL: it is elsewhere. */
static const char *below_store(int directory, const char *path)
{
    static const char root[] = "/store";
    if (*path == '/') {
        if (strncmp(path, root, sizeof root - 1) != 0)
            return NULL;
        path += sizeof root - 1;
        return *path == '/' ? path + 1 : path;
    }
    const struct sim_ofd *ofd = sim_fd_get(directory);
    if (ofd == NULL || ofd->inode != store())
        return NULL;
    return strcmp(path, ".") == 0 ? "" : path;
}

static int open_at(int directory, const char *path, int flags, unsigned mode)
{
    if (strncmp(path, "/proc/", 6) == 0)
        return open_proc(path, flags);
    const char *name = below_store(directory, path);
    if (name == NULL)
        return fails(ENOENT);
    if ((flags & O_TMPFILE) == O_TMPFILE) {
        if (*name != '\0' || sim.no_tmpfile)
            return fails(EOPNOTSUPP);
        return open_inode(new_inode(mode), flags);
    }
    if (*name == '\0')
        return (flags & O_ACCMODE) != O_RDONLY && (flags & O_PATH) == 0
                   ? fails(EISDIR)
                   : open_inode(store(), flags);
    struct sim_inode *inode = sim_lookup(name);
    if (inode != NULL && (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0)
        return fails(EEXIST);
    if (inode == NULL && (flags & O_CREAT) == 0)
        return fails(ENOENT);
    if ((flags & O_DIRECTORY) != 0)
        return fails(ENOTDIR);
    if (inode == NULL) {
        inode = new_inode(mode);
        add_name(name, inode);
    }
    return open_inode(inode, flags);
}

static unsigned mode_of(int flags, va_list arguments)
{
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, unsigned)
                                                                      : 0;
}

int sim_openat(int directory, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const unsigned mode = mode_of(flags, arguments);
    va_end(arguments);
    sim_enter();
    SIM_MAY_FAIL(-1, EMFILE, ENOMEM, EIO, EINTR);
    sim_cancellation_point();
    const int fd = open_at(directory, path, flags, mode);
    sim_say("  openat(%s) = %d", path, fd);
    return fd;
}

int sim_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const unsigned mode = mode_of(flags, arguments);
    va_end(arguments);
    sim_enter();
    SIM_MAY_FAIL(-1, EMFILE, ENOMEM, EIO, EINTR);
    sim_cancellation_point();
    const int fd = open_at(AT_FDCWD, path, flags, mode);
    sim_say("  open(%s) = %d", path, fd);
    return fd;
}

/* ---- names ---- */

int sim_mkdir(const char *path, mode_t mode)
{
    (void)mode;
    sim_enter();
    return fails(strcmp(path, "/store") == 0 ? EEXIST : EACCES);
}

int sim_linkat(int from, const char *path, int to, const char *name, int flags)
{
    int fd = from;
    sim_enter();
    SIM_MAY_FAIL(-1, ENOSPC, EIO);
    if ((flags & AT_EMPTY_PATH) != 0 && sim.no_empty_path)
        return fails(ENOENT);
    if ((flags & AT_EMPTY_PATH) == 0 && sscanf(path, "/proc/self/fd/%d", &fd) != 1)
        return fails(ENOENT);
    struct sim_ofd *ofd = sim_fd_get(fd);
    const char *file = below_store(to, name);
    if (ofd == NULL || ofd->inode == NULL || file == NULL)
        return fails(ENOENT);
    const int result = add_name(file, ofd->inode);
    sim_say("  linkat(%s) = %d", name, result);
    return result;
}

int sim_renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
    sim_enter();
    SIM_MAY_FAIL(-1, ENOSPC, EIO);
    const char *before = below_store(from, old), *after = below_store(to, new);
    struct sim_name *found = before == NULL || after == NULL ? NULL : find_name(before);
    if (found == NULL)
        return fails(ENOENT);
    if (find_name(after) != NULL && (flags & RENAME_NOREPLACE) != 0)
        return fails(EEXIST);
    if (find_name(after) != NULL)
        remove_name(find_name(after));
    snprintf(found->name, sizeof found->name, "%s", after);
    sim_say("  rename(%s, %s)", old, new);
    return 0;
}

int sim_unlinkat(int directory, const char *path, int flags)
{
    (void)flags;
    sim_enter();
    SIM_MAY_FAIL(-1, EIO);
    const char *name = below_store(directory, path);
    struct sim_name *found = name == NULL ? NULL : find_name(name);
    sim_say("  unlinkat(%s) = %d", path, found == NULL ? -1 : 0);
    if (found == NULL)
        return fails(ENOENT);
    oracle_unlinks(found->inode);
    remove_name(found);
    return 0;
}

/* ---- what a file is ---- */

static void tell(const struct sim_inode *inode, struct stat *status)
{
    *status = (struct stat){.st_dev = 7,
                            .st_ino = inode->number,
                            .st_nlink = inode->links,
                            .st_mode = inode->mode,
                            .st_uid = inode->uid,
                            .st_size = (off_t)inode->size};
}

int sim_fstat(int fd, struct stat *status)
{
    sim_enter();
    SIM_MAY_FAIL(-1, EIO, ENOMEM);
    const struct sim_ofd *ofd = sim_fd_get(fd);
    if (ofd == NULL)
        return -1;
    if (ofd->inode != NULL)
        tell(ofd->inode, status);
    else
        *status = (struct stat){.st_dev = 9, .st_ino = ofd->serial, .st_nlink = 1};
    return 0;
}

/* All of it is in memory. */
int sim_fstatfs(int fd, struct statfs *status)
{
    struct stat there;
    memset(status, 0, sizeof *status);
    status->f_type = 0x01021994; /* tmpfs */
    return sim_fstat(fd, &there);
}

int sim_fstatat(int directory, const char *path, struct stat *status, int flags)
{
    if ((flags & AT_EMPTY_PATH) != 0 && *path == '\0')
        return sim_fstat(directory, status);
    sim_enter();
    SIM_MAY_FAIL(-1, EIO, ENOMEM);
    const char *name = below_store(directory, path);
    if (name == NULL)
        return fails(ENOENT);
    const struct sim_inode *inode = *name == '\0' ? store() : sim_lookup(name);
    if (inode == NULL)
        return fails(ENOENT);
    tell(inode, status);
    return 0;
}

int sim_stat(const char *path, struct stat *status)
{
    if (strcmp(path, "/proc/self/ns/pid") != 0)
        return sim_fstatat(AT_FDCWD, path, status, 0);
    sim_enter();
    *status = (struct stat){.st_ino = 4026531836, .st_nlink = 1};
    return 0;
}

int sim_fchmod(int fd, mode_t mode)
{
    sim_enter();
    SIM_MAY_FAIL(-1, EIO);
    struct sim_ofd *ofd = sim_fd_get(fd);
    if (ofd == NULL)
        return -1;
    if (ofd->inode != NULL)
        ofd->inode->mode = (ofd->inode->mode & ~07777U) | mode;
    return 0;
}

int sim_posix_fallocate(int fd, off_t offset, off_t length)
{
    sim_enter();
    static const int errors[] = {ENOSPC, EIO, EINTR};
    const int error = sim_fault(__func__, errors, 3);
    if (error != 0)
        return error;
    struct sim_ofd *ofd = sim_fd_get(fd);
    const size_t end = (size_t)(offset + length);
    if (ofd == NULL || ofd->inode == NULL)
        return EBADF;
    if (end > sim_file_room())
        return ENOSPC;
    if (end > ofd->inode->size)
        ofd->inode->size = end;
    sim_file_grows(ofd->inode->memory, end);
    return 0;
}

int sim_fsync(int fd)
{
    sim_enter();
    SIM_MAY_FAIL(-1, EIO, ENOSPC);
    sim_cancellation_point();
    return sim_fd_get(fd) == NULL ? -1 : 0;
}

int sim_getrlimit(int resource, struct rlimit *limit)
{
    (void)resource;
    sim_enter();
    *limit = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
    return 0;
}

/* ---- what is in it ---- */

static const char boot_id[] = "6d9e6d0c-1f6c-4c7e-9d0a-000000000001\n";

static struct sim_ofd *enter_with(int fd)
{
    sim_enter();
    sim_cancellation_point();
    return sim_fd_get(fd);
}

ssize_t sim_pread(int fd, void *buffer, size_t size, off_t offset)
{
    const struct sim_ofd *ofd = enter_with(fd);
    SIM_MAY_FAIL(-1, EIO, EINTR);
    if (ofd == NULL)
        return -1;
    if (ofd->kind != SIM_TEXT && (ofd->inode == NULL || ofd->inode->memory < 0))
        return fails(EISDIR);
    const char *from = ofd->kind == SIM_TEXT ? boot_id : sim_file_memory(ofd->inode->memory);
    const size_t end = ofd->kind == SIM_TEXT ? sizeof boot_id - 1 : ofd->inode->size;
    const size_t at = (size_t)offset;
    if (at >= end)
        return 0;
    size = size < end - at ? size : end - at;
    memcpy(buffer, from + at, size);
    return (ssize_t)size;
}

ssize_t sim_pwrite(int fd, const void *buffer, size_t size, off_t offset)
{
    const struct sim_ofd *ofd = enter_with(fd);
    const size_t end = (size_t)offset + size;
    SIM_MAY_FAIL(-1, EIO, ENOSPC, EINTR);
    if (ofd == NULL)
        return -1;
    if (ofd->inode == NULL || ofd->inode->memory < 0 || (ofd->flags & O_ACCMODE) == O_RDONLY)
        return fails(EBADF);
    if (end > sim_file_room())
        return fails(EFBIG);
    memcpy(sim_file_memory(ofd->inode->memory) + offset, buffer, size);
    if (end > ofd->inode->size)
        ofd->inode->size = end;
    sim_file_grows(ofd->inode->memory, end);
    return (ssize_t)size;
}

/* ---- directories ---- */

struct sim_directory {
    int fd;
    unsigned at;
    struct dirent entry;
};

void *sim_fdopendir(int fd)
{
    const struct sim_ofd *ofd = sim_fd_get(fd);
    if (ofd == NULL || ofd->inode != store()) {
        errno = ENOTDIR;
        return NULL;
    }
    struct sim_directory *list = sim_calloc(1, sizeof *list);
    if (list != NULL)
        list->fd = fd;
    return list;
}

/* Of /proc there are files that the library opens by name; it cannot be listed. */
void *sim_opendir(const char *path)
{
    sim_enter();
    sim_say("  opendir(%s) = NULL", path);
    errno = ENOENT;
    return NULL;
}

struct dirent *sim_readdir(void *directory)
{
    struct sim_directory *list = directory;
    sim_enter();
    while (list->at < SIM_INODES && sim.name[list->at].inode == NULL)
        list->at++;
    if (list->at == SIM_INODES)
        return NULL;
    snprintf(list->entry.d_name, sizeof list->entry.d_name, "%s", sim.name[list->at++].name);
    return &list->entry;
}

int sim_closedir(void *directory)
{
    struct sim_directory *list = directory;
    const int result = sim_close(list->fd);
    sim_free(list);
    return result;
}

/* ---- descriptors ---- */

off_t sim_lseek(int fd, off_t offset, int whence)
{
    sim_enter();
    struct sim_ofd *ofd = sim_fd_get(fd);
    if (ofd == NULL)
        return -1;
    if (ofd->kind != SIM_FILE)
        return fails(ESPIPE);
    const int64_t end = (int64_t)ofd->inode->size;
    const int64_t to = offset + (whence == SEEK_SET ? 0 : whence == SEEK_CUR ? ofd->position : end);
    if (to < 0)
        return fails(EINVAL);
    ofd->position = to;
    return to;
}

int sim_fcntl(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *const pointer = va_arg(arguments, void *);
    va_end(arguments);
    const int number = (int)(intptr_t)pointer;
    sim_enter();
    struct sim_ofd *ofd = sim_fd_get(fd);
    if (ofd == NULL)
        return -1;
    struct sim_fd *entry = &sim.self->process->fd[fd];
    switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
        SIM_MAY_FAIL(-1, EMFILE);
        ofd->refs++;
        return sim_fd_new(ofd, number, command == F_DUPFD_CLOEXEC);
    case F_GETFD: return entry->cloexec ? FD_CLOEXEC : 0;
    case F_SETFD: entry->cloexec = (number & FD_CLOEXEC) != 0; return 0;
    case F_GETFL: return ofd->flags;
    case F_SETFL: return 0;
    case F_SETSIG: ofd->signal = number; return 0;
    case F_GETSIG: return ofd->signal;
    case F_SETOWN: ofd->owner = (unsigned)number; return 0;
    case F_GETOWN: return (int)ofd->owner;
    case F_OFD_SETLK:
        if (((const struct flock *)pointer)->l_type != F_UNLCK)
            SIM_MAY_FAIL(-1, ENOLCK, EINTR);
        return sim_lock_control(ofd, command, pointer);
    case F_OFD_GETLK:
        SIM_MAY_FAIL(-1, EINTR, ENOLCK);
        return sim_lock_control(ofd, command, pointer);
    case F_OFD_SETLKW: return sim_lock_control(ofd, command, pointer);
    default:
        sim_fail("the simulator does not know fcntl number %d: see tests/sim/file.c", command);
        return fails(EINVAL);
    }
}
