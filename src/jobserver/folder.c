/*
 * A folder for FIFOs. The process that makes one locks it; the lock goes to the command, and so
 * lasts as long as a process may open what is in the folder. A folder without a lock was left
 * behind by a server that was killed, and is removed by the next one.
 */
#include "jobserver/pipes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "berth-jobs."
enum { TRIES = 100 };

/* Its name goes into MAKEFLAGS, where words end at blanks, and where make expands. */
const char *pipes_folder_base(void)
{
    const char *named = getenv("TMPDIR");
    return named != NULL && named[0] == '/' && strpbrk(named, " \t\n$#\\'\"") == NULL &&
                   strlen(named) < PIPES_PATH / 2
               ? named
               : "/tmp";
}

static int open_folder(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* It contains only FIFOs. */
static void empty(int folder)
{
    const int copy = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
    const struct dirent *entry;
    if (entries == NULL) {
        if (copy >= 0)
            close(copy);
        return;
    }
    rewinddir(entries);
    while ((entry = readdir(entries)) != NULL) {
        if (entry->d_type == DT_FIFO || entry->d_type == DT_UNKNOWN)
            unlinkat(folder, entry->d_name, 0); /* not a folder */
    }
    closedir(entries);
}

static void remove_if_left(int at, const char *name)
{
    struct stat status;
    const int folder = open_folder(at, name);
    if (folder < 0)
        return;
    if (fstat(folder, &status) == 0 && status.st_uid == geteuid() &&
        flock(folder, LOCK_EX | LOCK_NB) == 0) {
        empty(folder);
        unlinkat(at, name, AT_REMOVEDIR);
    }
    close(folder);
}

static void sweep(void)
{
    DIR *entries = opendir(pipes_folder_base());
    const struct dirent *entry;
    if (entries == NULL)
        return;
    while ((entry = readdir(entries)) != NULL) {
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) == 0)
            remove_if_left(dirfd(entries), entry->d_name);
    }
    closedir(entries);
}

/* EAGAIN: another server has removed it before it was locked. */
static int make_once(struct pipes_folder *folder)
{
    struct stat mine, named;
    snprintf(folder->path, sizeof folder->path, "%s/" PREFIX "XXXXXX", pipes_folder_base());
    if (mkdtemp(folder->path) == NULL)
        return errno;
    folder->lock = open_folder(AT_FDCWD, folder->path);
    if (folder->lock < 0)
        return errno == ENOENT ? EAGAIN : errno;
    if (flock(folder->lock, LOCK_EX) == 0 && fstat(folder->lock, &mine) == 0 &&
        stat(folder->path, &named) == 0 && mine.st_ino == named.st_ino &&
        mine.st_dev == named.st_dev)
        return 0;
    close(folder->lock);
    folder->lock = -1;
    return EAGAIN;
}

int pipes_folder_make(struct pipes_folder *folder)
{
    int error = EAGAIN;
    sweep();
    for (unsigned i = 0; i < TRIES && error == EAGAIN; i++)
        error = make_once(folder);
    if (error != 0)
        *folder = (struct pipes_folder){.lock = -1};
    return error;
}

void pipes_folder_remove(struct pipes_folder *folder)
{
    if (folder->lock < 0)
        return;
    empty(folder->lock);
    rmdir(folder->path);
    close(folder->lock);
    *folder = (struct pipes_folder){.lock = -1};
}
