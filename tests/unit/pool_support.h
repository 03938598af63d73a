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
#include "pool/pools.h"

enum { STRANGER = 54321 }; /* a user id that nobody has */

struct fixture {
    char store[64];
    berth_options options; /* .store is set */
    unsigned descriptors;
};

unsigned count_entries(const char *path, const char *prefix);

unsigned count_descriptors(void);

int make_store(void **state);

int remove_store(void **state);

#define pool_test(function) cmocka_unit_test_setup_teardown(function, make_store, remove_store)

const char *path_of(const struct fixture *fixture, const char *file);

ino_t inode_of(int fd);

_Atomic(uint64_t) *next_stamp(void);

void stamp_it(struct pool_file *file, unsigned slots);

uint64_t stamp_of(const struct pool_file *file);

int open_pool(struct pool_file *file, const char *name, const struct fixture *fixture);

int enter_pool(struct pool_file *file, unsigned *seat, const char *name,
               const struct fixture *fixture);

void assert_reason(const char *part);

/* Whatever is refused, it is refused with a reason. */
#define assert_refused(expected, call, part)                                                       \
    do {                                                                                           \
        int refused_with = (call);                                                                 \
        if (refused_with != (expected))                                                            \
            fail_msg("%s gives %d (%s), not %d", #call, refused_with, berth_reason(), (expected)); \
        assert_reason(part);                                                                       \
    } while (0)

void *shared_memory(size_t size);

/* Runs `body` in a child, which ends with its result. A child must not use cmocka's assertions. */
pid_t start_child(int (*body)(void *context), void *context);

int wait_for_child(pid_t pid);

void assert_child_succeeds(pid_t pid);

/* A child that lives until it is killed, and has not given up before. */
void kill_child(pid_t pid);

#endif
