/*
 * Whether the simulated kernel is like the real one: the same random calls about locks on ranges of
 * bytes, futexes, mappings and fork are made by simulated processes and by real ones, and all
 * answers are compared. Calls are made one at a time, by the actor that a director names; so the
 * answers are determined, apart from what a kernel decides: which lock is found, and who is woken.
 */
#ifndef BERTH_SIM_KERNEL_H
#define BERTH_SIM_KERNEL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { KERNEL_ACTORS = 6, KERNEL_FDS = 4, KERNEL_WORDS = 2, KERNEL_MOVES = 120 };

enum kernel_verb {
    KERNEL_OPEN, /* the file, once more */
    KERNEL_DUP,
    KERNEL_CLOSE,
    KERNEL_MAP,
    KERNEL_UNMAP,
    KERNEL_NOT_FOR_CHILDREN, /* MADV_DONTFORK */
    KERNEL_LOCK,
    KERNEL_FIND_LOCK,
    KERNEL_SEEK,
    KERNEL_TELL,
    KERNEL_WIPED, /* what is in the page that fork wipes */
    KERNEL_FORK,
    KERNEL_SLEEP,
    KERNEL_NAP, /* until a time */
    KERNEL_STORE,
    KERNEL_WAKE,
    KERNEL_KILL,   /* done to the actor, as is */
    KERNEL_SIGNAL, /* a signal with a handler */
    KERNEL_VERBS,
};

struct kernel_move {
    unsigned actor;
    enum kernel_verb verb;
    unsigned fd, other; /* places in the actor's table */
    unsigned child;     /* which actor a fork makes */
    int64_t start, length;
    short type; /* of a lock */
    unsigned word;
    uint32_t number;
};

/* Of a call; or of an actor that did not answer: it sleeps. */
struct kernel_answer {
    int64_t result, error;
    int64_t found[3];        /* type, start and length of a lock */
    uint32_t asleep, awoken; /* actors that were woken by it, one bit each */
};

/* How actors reach the director, and the system calls that they make. */
struct kernel_stage {
    const char *file;
    void (*take)(unsigned actor, struct kernel_move *move); /* waits for the next */
    void (*answer)(unsigned actor, const struct kernel_answer *answer);
    void (*sleeps)(unsigned actor); /* just before it does */
    int (*open)(const char *path, int flags, ...);
    int (*close)(int fd);
    int (*fcntl)(int fd, int command, ...);
    off_t (*lseek)(int fd, off_t offset, int whence);
    void *(*mmap)(void *wish, size_t size, int protection, int flags, int fd, off_t offset);
    int (*munmap)(void *at, size_t size);
    int (*madvise)(void *at, size_t size, int advice);
    long (*syscall)(long number, ...);
    int (*fork)(void);
    /* the director's */
    void (*give)(const struct kernel_move *move);
    /* false: it sleeps on a futex. With `must`, until it does answer. */
    bool (*hear)(unsigned actor, bool must, struct kernel_answer *answer);
    bool (*has_answered)(unsigned actor);
    void (*kill)(unsigned actor);
    void (*signal)(unsigned actor);
};

/* An actor's life; does not return. */
void kernel_act(const struct kernel_stage *stage, unsigned actor);

struct kernel_play {
    struct kernel_move move[KERNEL_MOVES];
    struct kernel_answer answer[KERNEL_MOVES];
    unsigned moves;
};

/* With one actor there: makes moves drawn by the seed, and notes the answers. */
void kernel_direct(const struct kernel_stage *stage, uint64_t seed, struct kernel_play *play);

void kernel_play_for_real(uint64_t seed, struct kernel_play *play);
void kernel_play_simulated(uint64_t seed, struct kernel_play *play);

/* Plays with the seeds `first`.. on both, and prints where they differ; false: they did. */
bool kernel_compare(uint64_t first, uint64_t plays, bool verbose);

#endif
