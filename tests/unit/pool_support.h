/*
 * What the tests of pool files share: a store of their own for each test, children that are waited
 * for, and a count of descriptors, so that each test is also one for leaks.
 */
#ifndef BERTH_TESTS_POOL_SUPPORT_H
#define BERTH_TESTS_POOL_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pool/file.h"

enum { STRANGER = 54321 }; /* a user id that nobody has */

/* ---- the store ---- */

struct fixture {
    char store[64];
    berth_options options; /* .store is set */
    unsigned descriptors;
};

static inline unsigned count_entries(const char *path, const char *prefix)
{
    unsigned count = 0;
    DIR *list = opendir(path);
    if (list == NULL)
        fail_msg("cannot list %s", path);
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;)
        count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    closedir(list);
    return count;
}

static inline unsigned count_descriptors(void)
{
    return count_entries("/proc/self/fd", "");
}

static inline int make_store(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    if (fixture == NULL)
        return -1;
    snprintf(fixture->store, sizeof fixture->store, "%s/berth-test-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(fixture->store) == NULL)
        return -1;
    fixture->options = (berth_options){.store = fixture->store};
    fixture->descriptors = count_descriptors();
    *state = fixture;
    return 0;
}

/* Only what a test may have put there: files, and empty directories. */
static inline int remove_store(void **state)
{
    struct fixture *fixture = *state;
    unsigned descriptors = count_descriptors();
    chmod(fixture->store, 0700);
    DIR *list = opendir(fixture->store);
    if (list == NULL)
        return -1;
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            unlinkat(dirfd(list), entry->d_name, 0) != 0)
            unlinkat(dirfd(list), entry->d_name, AT_REMOVEDIR);
    }
    closedir(list);
    int result = rmdir(fixture->store);
    if (descriptors != fixture->descriptors) {
        print_error("%u descriptors at the end, %u at the start\n", descriptors,
                    fixture->descriptors);
        result = -1;
    }
    free(fixture);
    return result;
}

#define pool_test(function) cmocka_unit_test_setup_teardown(function, make_store, remove_store)

static inline const char *path_of(const struct fixture *fixture, const char *file)
{
    static char path[96];
    snprintf(path, sizeof path, "%s/%s", fixture->store, file);
    return path;
}

static inline ino_t inode_of(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

/* ---- a pool's first contents: a stamp that no other file has ---- */

static inline _Atomic(uint64_t) *next_stamp(void)
{
    static _Atomic(uint64_t) *stamp;
    if (stamp == NULL)
        stamp =
            mmap(NULL, sizeof *stamp, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return stamp;
}

static inline void stamp_it(struct pool_file *file, unsigned slots)
{
    atomic_store(&file->control->target, slots);
    atomic_store(&file->control->draw, 1 + atomic_fetch_add(next_stamp(), 1));
}

static inline uint64_t stamp_of(const struct pool_file *file)
{
    return atomic_load(&file->control->draw);
}

static inline int open_pool(struct pool_file *file, const char *name, const struct fixture *fixture)
{
    return pool_file_open(file, name, &fixture->options, stamp_it);
}

static inline int enter_pool(struct pool_file *file, unsigned *seat, const char *name,
                             const struct fixture *fixture)
{
    return pool_file_enter(file, seat, name, &fixture->options, stamp_it);
}

/* ---- reasons ---- */

static inline void assert_reason(const char *part)
{
    if (strstr(berth_reason(), part) == NULL)
        fail_msg("the reason is \"%s\"; it does not say \"%s\"", berth_reason(), part);
}

/* Whatever is refused, it is refused with a reason. */
#define assert_refused(expected, call, part)                                                       \
    do {                                                                                           \
        int refused_with = (call);                                                                 \
        if (refused_with != (expected))                                                            \
            fail_msg("%s gives %d (%s), not %d", #call, refused_with, berth_reason(), (expected)); \
        assert_reason(part);                                                                       \
    } while (0)

/* ---- children ---- */

static inline void *shared_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    return memory;
}

/* Runs `body` in a child, which ends with its result. A child must not use cmocka's assertions. */
static inline pid_t start_child(int (*body)(void *context), void *context)
{
    next_stamp();
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody behind */
        _exit(body(context));
    }
    return pid;
}

static inline int wait_for_child(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return status;
}

static inline void assert_child_succeeds(pid_t pid)
{
    int status = wait_for_child(pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("the child ended with wait status %#x (exit %d)", (unsigned)status,
                 WEXITSTATUS(status));
}

/* A child that lives until it is killed, and has not given up before. */
static inline void kill_child(pid_t pid)
{
    assert_int_equal(kill(pid, SIGKILL), 0);
    int status = wait_for_child(pid);
    if (!WIFSIGNALED(status))
        fail_msg("the child had already ended, with status %d", WEXITSTATUS(status));
}

#endif
