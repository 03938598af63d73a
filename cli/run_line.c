/*
 * A line on the terminal while berth run waits: "waiting for gpu: 3 ahead, 4 held, longest 12 min".
 *
 * A thread keeps it up to date, from a second of waiting on. The place in the queue is the waiting
 * thread's, which is not disturbed. Nothing is started where standard error is no terminal.
 */
#include "pool_command.h"
#include "run.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { FIRST_MS = 1000, NEXT_MS = 1000, LINE = 512 };

bool run_line_wanted(void)
{
    return isatty(STDERR_FILENO) == 1;
}

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

/* The waiters before this process; all of them, where it is not among them. */
static size_t ahead_in(const berth_view *view)
{
    size_t ahead = 0;
    while (ahead < view->waiter_count && view->waiters[ahead]->pid != (int)getpid())
        ahead++;
    return ahead;
}

static void put_pool(FILE *out, const char *name, const berth_view *view)
{
    double longest = 0;
    for (size_t i = 0; i < view->holder_count; i++) {
        const double seconds = cli_elapsed(CLOCK_REALTIME, &view->holders[i]->since);
        longest = seconds > longest ? seconds : longest;
    }
    fprintf(out, "%s: %zu ahead, %zu held", name, ahead_in(view), view->holder_count);
    if (view->holder_count > 0) {
        fputs(", longest ", out);
        put_duration(out, longest);
    } else if (view->slots == 0) {
        fputs(", drained", out);
    }
}

static void compose(const struct run_options *options, char text[LINE])
{
    bool first = true;
    FILE *out = fmemopen(text, LINE, "w");
    text[0] = '\0';
    if (out == NULL)
        return;
    for (size_t i = 0; i < options->pools.count; i++) {
        berth_view *view;
        const char *name = options->pools.pool[i].name;
        const berth_options how = {.store = cli_where_store(&options->where, name)};
        if (berth_look(&view, name, &how) != 0)
            continue; /* no reason not to wait */
        fputs(first ? "waiting for " : "; ", out);
        put_pool(out, name, view);
        berth_view_free(view);
        first = false;
    }
    fclose(out); /* what does not fit is left out */
    text[LINE - 1] = '\0';
}

/* ---- on the terminal ---- */

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

static bool is_over_after(struct run_line *line, unsigned milliseconds)
{
    const struct timespec until = cli_deadline(milliseconds / 1e3);
    int error = 0;
    pthread_mutex_lock(&line->mutex);
    while (!line->over && error == 0)
        error = pthread_cond_timedwait(&line->change, &line->mutex, &until);
    const bool over = line->over;
    pthread_mutex_unlock(&line->mutex);
    return over;
}

static void *keep_up_to_date(void *context)
{
    struct run_line *line = context;
    for (unsigned pause = FIRST_MS; !is_over_after(line, pause); pause = NEXT_MS) {
        char text[LINE];
        compose(line->options, text);
        if (text[0] != '\0' && show(text))
            line->shown = true;
    }
    return NULL;
}

/* Signals are for the thread that waits. */
void run_line_start(struct run_line *line, const struct run_options *options)
{
    sigset_t all, before;
    pthread_condattr_t attributes;
    *line = (struct run_line){.options = options};
    pthread_mutex_init(&line->mutex, NULL);
    if (pthread_condattr_init(&attributes) != 0)
        return;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (pthread_cond_init(&line->change, &attributes) == 0) {
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        line->started = pthread_create(&line->thread, NULL, keep_up_to_date, line) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_condattr_destroy(&attributes);
}

void run_line_end(struct run_line *line)
{
    if (!line->started)
        return;
    pthread_mutex_lock(&line->mutex);
    line->over = true;
    pthread_cond_signal(&line->change);
    pthread_mutex_unlock(&line->mutex);
    pthread_join(line->thread, NULL);
    if (line->shown)
        show("");
}
