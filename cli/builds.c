/*
 * Which build has how many slots. A jobserver holds a slot for each token, under the number of the
 * process that it is for: so a process that holds several, or holds and waits for more, is shown
 * once with the sum.
 */
#include "pool_command.h"
#include "pool_lines.h"

#include <string.h>

static bool is_same(const berth_user *a, const berth_user *b)
{
    return a->pid == b->pid && strcmp(a->host, b->host) == 0;
}

static unsigned count_of(const berth_user *who, berth_user *const *users, size_t count)
{
    unsigned found = 0;
    for (size_t u = 0; u < count; u++)
        found += is_same(users[u], who);
    return found;
}

bool cli_build(const berth_view *view, size_t number, struct cli_build *build)
{
    for (size_t h = 0; h < view->holder_count; h++) {
        const berth_user *user = view->holders[h];
        if (count_of(user, view->holders, h) > 0)
            continue; /* it was there before */
        *build = (struct cli_build){
            .user = user,
            .slots = count_of(user, view->holders, view->holder_count),
            .asks = count_of(user, view->waiters, view->waiter_count),
        };
        if ((build->slots > 1 || build->asks > 0) && number-- == 0)
            return true;
    }
    return false;
}

size_t cli_build_count(const berth_view *view)
{
    struct cli_build build;
    size_t count = 0;
    while (cli_build(view, count, &build))
        count++;
    return count;
}

const char *cli_build_line(char line[CLI_USER_LINE], const struct cli_build *build)
{
    char slots[32], name[CLI_USER_NAME], asks[32] = "";
    if (build->asks > 0)
        snprintf(asks, sizeof asks, "(asks for %u more) ", build->asks);
    snprintf(line, CLI_USER_LINE, "  %-10s  %7d  %-8s  %9s  %s%s", "in all", build->user->pid,
             cli_user_name(name, build->user), cli_slots(slots, build->slots), asks,
             build->user->command);
    return line;
}
