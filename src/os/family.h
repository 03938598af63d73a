/*
 * The processes that came from one: its children, theirs, and so on, as /proc shows them; and those
 * that were started with a certain word in their environment, wherever they have gone.
 */
#ifndef BERTH_OS_FAMILY_H
#define BERTH_OS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct os_family {
    pid_t of[2]; /* the descendants of these, without these themselves; 0: none */
    pid_t with;  /* this one, and its descendants; 0: none */
    /* Pidfds of of[0] and of `with`: once that process has ended, its number is another's, and
     * counts no more. 0: the number stays its own, as that of the caller, or of a child that was
     * not waited for. */
    int of_is, with_is;
    /* Also every process with this, NAME=WORD, in its environment, where the value of NAME is words
     * with spaces between; NULL: none. */
    const char *mark;
    const char *spare;        /* except children of `of` and `with` that have this name, */
    unsigned long long since; /* and of `of` that started before, in clock ticks since boot */
};

/* What a process calls itself (os/foreign.h). */
struct os_family_name {
    char bytes[16];
};

struct os_family_result {
    size_t count;               /* of those that live */
    pid_t first;                /* one of them; 0: there is none */
    struct os_family_name name; /* of its program */
    pid_t refused;              /* one of them, that could not be signalled; 0: none */
};

/* What `since` would be for processes that start from now on. */
unsigned long long os_family_now(void);

/* When this process was started, in the same unit; together with the number, that identifies it. 0:
 * there is none of this number. */
unsigned long long os_family_started(pid_t pid);

/* Sends `number` to each of them that lives; if it is 0, only counts them. 0, or an errno value:
 * /proc cannot be read. */
int os_family_signal(const struct os_family *family, int number, struct os_family_result *result);

/* Kills them, and those that they start in the meantime, until only those are left that cannot be
 * killed. A second at most. */
int os_family_kill(const struct os_family *family, struct os_family_result *result);

#endif
