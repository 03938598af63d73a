#include "audit.h"

#include "berth.h"
#include "os/clock.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct auditor {
    const struct plan *plan;
    struct board *board;
    berth_options options;
    berth_pool *pool;
};

#define COMPLAIN(auditor, ...)                                                                     \
    do {                                                                                           \
        complain(&(auditor)->board->complaints, "audit: " __VA_ARGS__);                            \
        return false;                                                                              \
    } while (0)

/* Nobody may be seen; gives the number of slots. */
static bool look(struct auditor *auditor, unsigned *slots)
{
    berth_view *view;
    const int error = berth_look(&view, auditor->plan->name, &auditor->options);
    if (error == ENOENT && auditor->plan->removed) {
        *slots = auditor->plan->slots; /* as the next one makes it */
        return true;
    }
    if (error != 0)
        COMPLAIN(auditor, "berth_look gave %d: %s", error, berth_reason());
    const size_t holders = view->holder_count, waiters = view->waiter_count;
    *slots = view->slots;
    berth_view_free(view);
    if (holders != 0 || waiters != 0)
        COMPLAIN(auditor, "all are dead, and %zu holders and %zu waiters are shown", holders,
                 waiters);
    return true;
}

/* All of them, and no more, without waiting; and back. */
static bool take_all(struct auditor *auditor, unsigned slots)
{
    berth_grant grant[BOARD_SLOTS + 1];
    bool seen[BOARD_SLOTS] = {false};
    if (slots > BOARD_SLOTS)
        COMPLAIN(auditor, "the pool has %u slots", slots);
    for (unsigned i = 0; i < slots; i++) {
        const int error = berth_try_acquire(auditor->pool, &grant[i]);
        if (error != 0)
            COMPLAIN(auditor, "a slot is lost: of %u only %u are available, then %d: %s", slots, i,
                     error, berth_reason());
        if (grant[i].slot >= slots || seen[grant[i].slot])
            COMPLAIN(auditor, "of %u slots, number %u was given%s", slots, grant[i].slot,
                     grant[i].slot < slots ? " twice" : "");
        seen[grant[i].slot] = true;
    }
    const int error = berth_try_acquire(auditor->pool, &grant[slots]);
    if (error != EBUSY)
        COMPLAIN(auditor, "one slot more than %u was asked for, and %d was the answer", slots,
                 error);
    for (unsigned i = 0; i < slots; i++) {
        if (berth_release(auditor->pool, &grant[i]) != 0)
            COMPLAIN(auditor, "berth_release: %s", berth_reason());
    }
    return true;
}

static bool resize_and_take_all(struct auditor *auditor, unsigned slots)
{
    if (berth_resize(auditor->pool, slots) != 0)
        COMPLAIN(auditor, "berth_resize: %s", berth_reason());
    return take_all(auditor, slots);
}

static bool remove_pool(struct auditor *auditor)
{
    int error = berth_remove(auditor->plan->name, &auditor->options);
    if (error != 0)
        COMPLAIN(auditor, "the pool cannot be removed: %d: %s", error, berth_reason());
    DIR *list = opendir(auditor->plan->store);
    if (list == NULL)
        COMPLAIN(auditor, "cannot list %s", auditor->plan->store);
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            COMPLAIN(auditor, "%s is left behind in the store", entry->d_name);
    }
    closedir(list);
    return true;
}

static bool examine(struct auditor *auditor)
{
    unsigned slots;
    if (!look(auditor, &slots))
        return false;
    auditor->options.slots = slots;
    const int error = berth_open(&auditor->pool, auditor->plan->name, &auditor->options);
    if (error != 0)
        COMPLAIN(auditor, "berth_open gave %d: %s", error, berth_reason());
    if (!take_all(auditor, slots) || !resize_and_take_all(auditor, BOARD_SLOTS) ||
        !resize_and_take_all(auditor, 0) || !resize_and_take_all(auditor, 1) ||
        !resize_and_take_all(auditor, auditor->plan->slots))
        return false;
    if (berth_close(auditor->pool) != 0)
        COMPLAIN(auditor, "berth_close: %s", berth_reason());
    return look(auditor, &slots) && remove_pool(auditor);
}

static _Noreturn void child(const struct plan *plan, struct board *board, pid_t driver)
{
    struct auditor auditor = {.plan = plan, .board = board, .options = {.store = plan->store}};
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != driver)
        _exit(1);
    _exit(examine(&auditor) ? 0 : 1);
}

void audit(const struct plan *plan, struct board *board)
{
    const uint64_t deadline = os_now(CLOCK_MONOTONIC) + 20 * (uint64_t)OS_SECOND;
    const pid_t driver = getpid();
    const pid_t pid = fork();
    int status = 0;
    if (pid == 0)
        child(plan, board, driver);
    if (pid < 0) {
        complain(&board->complaints, "cannot fork: %s", strerror(errno));
        return;
    }
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (os_now(CLOCK_MONOTONIC) > deadline) {
            complain(&board->complaints, "audit: a call does not return");
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return;
        }
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    if (status != 0)
        complain(&board->complaints, "audit: ended with wait status %#x", (unsigned)status);
}
