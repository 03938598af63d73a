/*
 * The job as its whole tree: the command, and what it has started and left behind.
 *
 * While a tree is watched, this process is the parent of every process in it that loses its own
 * (PR_SET_CHILD_SUBREAPER), so all of them can be found below it, whatever session or process group
 * they have gone to; where a cgroup can be made, they are in one, too. When the command has ended,
 * they are ended, or waited for, before the slot is given back. If this process is killed, nobody
 * ends them; the slot stays taken as long as one of them has the descriptor of it.
 */
#include "pool_command.h"
#include "run.h"

#include "os/foreign.h"
#include "os/clock.h"
#include "os/family.h"
#include "store/etcd/guard.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the option says, or else the strictest of what the pools' declarations say. */
static enum cli_tree mode_of(const struct run_options *options)
{
    enum cli_tree mode = CLI_TREE_LEAVE;
    for (size_t i = 0; i < options->pools.count; i++) {
        const struct cli_declared *declared = options->pools.pool[i].declared;
        if (declared != NULL && declared->tree > mode)
            mode = declared->tree;
    }
    return options->tree != CLI_TREE_UNSAID ? options->tree : mode;
}

/* The time of a start is known in clock ticks: where this process has children already, the command
 * is started in a later tick than any of them. */
static unsigned long long after_others(void)
{
    const unsigned long long now = os_family_now();
    pid_t pid;
    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
        continue;
    while (pid == 0 && os_family_now() == now)
        nanosleep(&(struct timespec){.tv_nsec = OS_MILLISECOND}, NULL);
    return pid == 0 ? now + 1 : now;
}

void run_tree_begin(struct run_tree *tree, const struct run_options *options)
{
    char number[64];
    *tree = (struct run_tree){.mode = mode_of(options), .grace = options->grace};
    tree->speaks = !options->quiet && isatty(STDERR_FILENO) == 1;
    tree->watched = tree->mode != CLI_TREE_LEAVE || options->limit > 0 || tree->speaks;
    if (tree->watched) {
        tree->since = after_others();
        prctl(PR_SET_CHILD_SUBREAPER, 1);
    }
    if (tree->mode == CLI_TREE_END || options->limit > 0) {
        snprintf(number, sizeof number, "%d.%llu", (int)getpid(),
                 (unsigned long long)os_now(CLOCK_REALTIME));
        run_cgroup_make(number);
    }
    if (options->limit > 0)
        tree->limit = os_now(CLOCK_MONOTONIC) + (uint64_t)(options->limit * OS_SECOND);
}

/* ---- those that live ---- */

/* Children that this process had before it became `berth run` are nobody's business here. */
static struct os_family family_of(const struct run_tree *tree)
{
    return (struct os_family){.of = {getpid()}, .since = tree->since, .spare = GUARD_PROGRAM};
}

static void signal_all(const struct run_tree *tree, int number, struct os_family_result *result)
{
    const struct os_family family = family_of(tree);
    *result = (struct os_family_result){0};
    os_family_signal(&family, number, result);
}

/* Reaps what is dead, and counts what is not: in most cases there is no child at all, and /proc is
 * not read. */
static bool is_left(const struct run_tree *tree, struct os_family_result *left)
{
    pid_t pid;
    *left = (struct os_family_result){0};
    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
        continue;
    if (pid < 0 && errno == ECHILD)
        return false;
    signal_all(tree, 0, left);
    return left->count > 0;
}

/* ---- ending them ---- */

/* TERM, and KILL when the grace is over. */
static void begin_to_end(struct run_tree *tree)
{
    struct os_family_result result;
    tree->kill_at = os_now(CLOCK_MONOTONIC) + (uint64_t)(tree->grace * OS_SECOND);
    tree->is_ending = true;
    signal_all(tree, SIGTERM, &result);
    signal_all(tree, SIGCONT, &result);
}

/* Gives the time until there is more to do. */
static uint64_t go_on_ending(struct run_tree *tree)
{
    const uint64_t now = os_now(CLOCK_MONOTONIC);
    struct os_family_result result;
    if (now < tree->kill_at)
        return tree->kill_at - now;
    const struct os_family family = family_of(tree);
    run_cgroup_kill();
    os_family_kill(&family, &result);
    if (result.refused != 0 && !tree->refused) {
        tree->refused = true;
        cli_error(CLI_OK,
                  "run: process %d of the command cannot be ended, and keeps the slot: "
                  "waiting for it",
                  (int)result.refused);
    }
    return OS_SECOND;
}

static uint64_t look_at_limit(struct run_tree *tree)
{
    const uint64_t now = os_now(CLOCK_MONOTONIC);
    if (tree->limit == 0 || now < tree->limit)
        return tree->limit == 0 ? UINT64_MAX : tree->limit - now;
    if (!tree->is_over) {
        tree->is_over = true;
        cli_error(CLI_OK, "run: the time limit is over: the command and what it has started are "
                          "told to end");
        begin_to_end(tree);
    }
    return go_on_ending(tree);
}

/* ---- while the command runs ---- */

struct timespec run_tree_look(const struct run_child *child, void *context)
{
    struct run_tree *tree = context;
    const struct timespec inner = tree->inner.look(child, tree->inner.context);
    const uint64_t left = look_at_limit(tree);
    return left < os_nanoseconds(&inner) ? os_timespec(left) : inner;
}

/* ---- when it has ended ---- */

static const char *processes(char text[static 160], const struct os_family_result *left)
{
    char name[sizeof left->name];
    os_clean(name, sizeof name, OS_FOREIGN(left->name));
    if (left->count == 1)
        snprintf(text, 160, "a process (%d, %s)", (int)left->first, name);
    else
        snprintf(text, 160, "%zu processes (%d, %s, and others)", left->count, (int)left->first,
                 name);
    return text;
}

static void say(const struct run_tree *tree, const struct os_family_result *left)
{
    static const char *const what[] = {
        [CLI_TREE_LEAVE] = "which works on without a slot (--tree=end ends it, --tree=wait waits)",
        [CLI_TREE_WAIT] = "and waits for it with the slot",
        [CLI_TREE_END] = "which is now ended",
    };
    char text[160];
    if (tree->speaks)
        cli_error(CLI_OK, "run: the command has left %s, %s", processes(text, left),
                  what[tree->mode]);
}

/* A signal that would end this process ends what it waits for; a second one does it at once. */
static void take_signal(struct run_tree *tree, int number)
{
    if (number == SIGTSTP || number == SIGTTIN || number == SIGTTOU) {
        run_stop_self(number);
    } else if ((number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT) &&
               !run_is_ignored(number)) {
        if (tree->is_ending)
            tree->kill_at = 0;
        else
            begin_to_end(tree);
    }
}

void run_tree_end(struct run_tree *tree, struct run_child *child)
{
    struct os_family_result left;
    child->ended = true;
    if (!tree->watched || !is_left(tree, &left))
        return;
    if (!tree->is_over)
        say(tree, &left);
    if (tree->mode == CLI_TREE_LEAVE && !tree->is_over)
        return;
    if (tree->mode == CLI_TREE_END && !tree->is_ending)
        begin_to_end(tree);
    while (is_left(tree, &left)) {
        const struct timespec inner = run_tree_look(child, tree);
        const uint64_t ending = tree->is_ending ? go_on_ending(tree) : UINT64_MAX;
        const struct timespec pause = ending < os_nanoseconds(&inner) ? os_timespec(ending) : inner;
        siginfo_t info;
        const int number = sigtimedwait(&child->watched, &info, &pause);
        if (number > 0)
            take_signal(tree, number);
    }
}
