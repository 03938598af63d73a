/*
 * What berth run says while it waits: "waiting for gpu: 3 ahead, 4 held, slot 0 for 12 min by pid
 * 13287 (./train 1)".
 *
 * At a terminal a thread keeps one line up to date, from a second of waiting on. Elsewhere (a log,
 * a pipe) it writes a line after a second, and again after 2, 4, 8 minutes and so on. The place in
 * the queue is the waiting thread's, which is not disturbed.
 */
#include "pool_command.h"
#include "run.h"

#include "store/store.h"

#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* There is one. */
static struct {
    const struct run_options *options;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t change;
    bool over, shown; /* under the mutex; the line is on the screen */
    bool started;     /* the thread */
} line;

enum { FIRST_MS = 1000, NEXT_MS = 1000, SECOND_MS = 120000, LINE = 1024 };

/* ---- what it says ---- */

static void put_duration(FILE *out, double seconds)
{
    if (seconds < 60)
        fprintf(out, "%.0f s", seconds);
    else if (seconds < 3600)
        fprintf(out, "%.0f min", seconds / 60);
    else if (seconds < 48 * 3600.0)
        fprintf(out, "%.1f h", seconds / 3600);
    else
        fprintf(out, "%.0f d", seconds / 86400);
}

/* Counts the processes that wait before this one, and sets *waits if this one does. */
static size_t ahead_in(const berth_view *view, bool *waits)
{
    size_t ahead = 0;
    int before = 0;
    *waits = false;
    for (size_t i = 0; i < view->waiter_count && !*waits; i++) {
        const int pid = view->waiters[i]->pid;
        *waits = pid == (int)getpid();
        ahead += !*waits && pid != before; /* those of one process mostly follow each other */
        before = pid;
    }
    return ahead;
}

/* Names the holder that has had its slot for the longest time. */
static void put_holder(FILE *out, const berth_view *view)
{
    const berth_user *first = view->holders[0];
    for (size_t i = 1; i < view->holder_count; i++) {
        const struct timespec *since = &view->holders[i]->since;
        if (since->tv_sec < first->since.tv_sec ||
            (since->tv_sec == first->since.tv_sec && since->tv_nsec < first->since.tv_nsec))
            first = view->holders[i];
    }
    fprintf(out, ", slot %u for ", first->number);
    put_duration(out, cli_elapsed(CLOCK_REALTIME, &first->since));
    fprintf(out, " by pid %d (%s)", first->pid, first->command);
}

/* Counts those of a lane before this process; the heads among them. */
static size_t ahead_in_lane(const struct run_lane_head *head)
{
    berth_view *view;
    bool waits;
    const berth_options how = {.store = head->store, .flags = STORE_LANE};
    if (berth_look(&view, head->name, &how) != 0)
        return 0;
    const size_t ahead = ahead_in(view, &waits) + view->holder_count;
    berth_view_free(view);
    return ahead;
}

/* The head of the lane in which this run waits for the pool; NULL: it waits in none. */
static const struct run_lane_head *head_for(const struct run_options *options,
                                            const struct run_pool *pool)
{
    for (size_t i = 0; i < options->lanes.heads.count && options->lanes.waits; i++) {
        if (options->lanes.of[i].pool == pool)
            return &options->lanes.of[i];
    }
    return NULL;
}

/* Says of one pool who is ahead and who holds; of a process that has given up, who waits. */
static void put_pool(FILE *out, const char *name, const struct run_lane_head *head,
                     const berth_view *view)
{
    bool waits;
    const size_t ahead = ahead_in(view, &waits);
    fprintf(out, "%s%s", name, *name != '\0' ? ": " : "");
    if (head != NULL)
        fprintf(out, "%zu ahead in lane %s, %zu held", ahead_in_lane(head), head->lane,
                view->holder_count);
    else
        fprintf(out, "%zu %s, %zu held", ahead, waits ? "ahead" : "waiting", view->holder_count);
    if (view->holder_count > 0)
        put_holder(out, view);
    else if (view->slots == 0)
        fputs(", drained", out);
}

/* Whether this process has what it wants of the pool, and waits for another one. */
static bool is_served(const berth_view *view, const struct run_pool *pool)
{
    unsigned held = 0;
    for (size_t i = 0; i < view->holder_count; i++)
        held += view->holders[i]->pid == (int)getpid();
    return held >= pool->slots;
}

/* Writes the state of each pool that this process lacks slots of, after `start`; `named`: with the
 * pools' names. */
static void compose(const struct run_options *options, const char *start, bool named,
                    char text[LINE])
{
    bool first = true;
    FILE *out = fmemopen(text, LINE, "w");
    text[0] = '\0';
    if (out == NULL)
        return;
    for (size_t i = 0; i < options->pools.count; i++) {
        berth_view *view;
        const struct run_pool *pool = &options->pools.pool[i];
        const berth_options how = {.store = cli_where_store(&options->where, pool->name)};
        if (berth_look(&view, pool->name, &how) != 0)
            continue; /* no reason not to wait */
        if (options->lanes.waits ? head_for(options, pool) != NULL : !is_served(view, pool)) {
            fputs(first ? start : "; ", out);
            put_pool(out, named ? pool->name : "", head_for(options, pool), view);
            first = false;
        }
        berth_view_free(view);
    }
    fclose(out); /* what does not fit is left out */
    text[LINE - 1] = '\0';
}

void run_line_gave_up(const struct run_options *options, const char *reason)
{
    char text[LINE] = "";
    /* A store that has not answered in time must not delay the end. */
    if (!run_pools_can_be_lost(options->lanes.waits ? &options->lanes.heads : &options->pools))
        compose(options, " (", options->pools.count > 1, text);
    cli_error(CLI_OK, "run: %s%s%s", reason, text, *text != '\0' ? ")" : "");
}

/* ---- where it says it ---- */

/* Not from the background, and never more than a line. */
static bool show(const char *text)
{
    struct winsize size = {.ws_col = 80};
    if (tcgetpgrp(STDERR_FILENO) != getpgrp())
        return false;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        size.ws_col = 80;
    fprintf(stderr, "\r%.*s\033[K", size.ws_col - 1, text);
    return true;
}

static bool is_over_after(unsigned milliseconds)
{
    const struct timespec until = cli_deadline(milliseconds / 1e3);
    int error = 0;
    pthread_mutex_lock(&line.mutex);
    while (!line.over && error == 0)
        error = pthread_cond_timedwait(&line.change, &line.mutex, &until);
    const bool over = line.over;
    pthread_mutex_unlock(&line.mutex);
    return over;
}

/* Composes the text, which takes its time if a store does, and gives it to `put` unless the wait is
 * over by then. */
static void say(bool (*put)(const char *text))
{
    char text[LINE];
    compose(line.options, "waiting for ", true, text);
    pthread_mutex_lock(&line.mutex);
    if (!line.over && text[0] != '\0' && put(text))
        line.shown = true;
    pthread_mutex_unlock(&line.mutex);
}

static void *keep_up_to_date(void *unused)
{
    (void)unused;
    for (unsigned pause = FIRST_MS; !is_over_after(pause); pause = NEXT_MS)
        say(show);
    return NULL;
}

static bool put_into_log(const char *text)
{
    cli_error(CLI_OK, "%s", text);
    return false; /* it stays */
}

/* A log gets a line after a second, after two minutes, and whenever the wait has doubled. */
static void *say_now_and_then(void *unused)
{
    (void)unused;
    unsigned at = 0, next = FIRST_MS;
    while (!is_over_after(next - at)) {
        say(put_into_log);
        at = next;
        next = at == FIRST_MS ? SECOND_MS : at <= UINT_MAX / 2 ? 2 * at : UINT_MAX;
    }
    return NULL;
}

/* Signals are for the thread that waits. */
void run_line_start(const struct run_options *options)
{
    sigset_t all, before;
    pthread_condattr_t attributes;
    run_line_join(); /* a lane's */
    line.options = options;
    line.over = line.shown = false;
    pthread_mutex_init(&line.mutex, NULL);
    if (pthread_condattr_init(&attributes) != 0)
        return;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (pthread_cond_init(&line.change, &attributes) == 0) {
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        line.started =
            pthread_create(&line.thread, NULL,
                           isatty(STDERR_FILENO) == 1 ? keep_up_to_date : say_now_and_then,
                           NULL) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_condattr_destroy(&attributes);
}

void run_line_end(void)
{
    if (!line.started)
        return;
    pthread_mutex_lock(&line.mutex);
    line.over = true;
    if (line.shown)
        show("");
    pthread_cond_signal(&line.change);
    pthread_mutex_unlock(&line.mutex);
}

void run_line_join(void)
{
    if (line.started)
        pthread_join(line.thread, NULL);
    line.started = false;
}
