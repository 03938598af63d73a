#include "top.h"

#include <errno.h>

static void print_line(const char *line)
{
    wchar_t wide[TOP_LINE];
    top_clean(wide, line, TOP_LINE - 1);
    printf("%ls\n", wide);
}

static void print_pool(const struct top_pool *pool)
{
    char line[TOP_LINE], rate[TOP_NUMBER] = "-", past[TOP_NUMBER + 64] = "";
    char heading[CLI_USER_LINE];
    const berth_view *view = pool->view;
    if (pool->rate.known)
        top_number(rate, pool->rate.per_second);
    if (!pool->rate.history.unknown)
        snprintf(past, sizeof past, "; %s grants/s, %u died", rate, pool->rate.history.died);
    snprintf(line, sizeof line, "%s: %u %s, %zu held, %zu waiting%s", pool->name, view->slots,
             view->slots == 1 ? "slot" : "slots", view->holder_count, view->waiter_count, past);
    print_line(line);
    if (view->holder_count + view->waiter_count > 0)
        printf("%s\n", cli_user_heading(heading));
    for (size_t i = 0; i < view->holder_count; i++)
        print_line(top_slot_line(line, view, i));
    for (size_t i = 0; i < top_queue_lines(pool); i++)
        print_line(top_queue_line(line, pool, i));
    struct cli_build build;
    for (size_t i = 0; cli_build(view, i, &build); i++)
        print_line(cli_build_line(heading, &build));
}

static void pause_for(double seconds)
{
    const struct timespec end = cli_deadline(seconds);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
        ;
}

int top_text(struct top *top)
{
    if (top->count > 0) {
        pause_for(top->options.delay);
        if (top_look(top) != 0)
            return cli_error(CLI_FAILED, "top: out of memory");
    }
    int status =
        top->error == 0 ? CLI_OK : cli_error(cli_pool_status(top->error), "top: %s", top->problem);
    bool printed = false;
    for (size_t i = 0; i < top->count; i++) {
        const struct top_pool *pool = &top->pool[i];
        if (pool->view == NULL) {
            status = cli_error(cli_pool_status(pool->error), "top: %s", pool->problem);
            continue; /* go on: the others may be fine */
        }
        if (printed)
            putchar('\n');
        print_pool(pool);
        printed = true;
    }
    return cli_flush(status);
}
