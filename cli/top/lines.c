#include "top.h"

#include "os/foreign.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- text of others ---- */

/* How many columns a character takes; 0: it is not shown. Those without a width are among
 * these: what turns the direction of writing around, say. */
static unsigned width_of(unsigned code)
{
    char bytes[MB_LEN_MAX];
    mbstate_t state = {0};
    int width = wcwidth((wchar_t)code);
    return width > 0 && wcrtomb(bytes, (wchar_t)code, &state) != (size_t)-1 ? (unsigned)width : 0;
}

unsigned top_clean(wchar_t *wide, const char *text, unsigned columns)
{
    unsigned used = 0;
    while (*text != '\0') {
        unsigned code = 0;
        size_t length = os_character(text, strlen(text), &code);
        unsigned width = length > 0 ? width_of(code) : 0;
        if (used + (width > 0 ? width : 1) > columns)
            break;
        *wide++ = width > 0 ? (wchar_t)code : L'?';
        used += width > 0 ? width : 1;
        text += length > 0 ? length : 1;
    }
    *wide = L'\0';
    return used;
}

/* ---- the table of pools ---- */

enum { NAMES_LEAST = 10, NUMBERS = 48 /* the columns after the name */ };

unsigned top_name_width(const struct top *top, unsigned columns)
{
    size_t longest = NAMES_LEAST;
    for (size_t i = 0; i < top->count; i++) {
        size_t length = strlen(top->pool[i].name);
        longest = length > longest ? length : longest;
    }
    size_t room = columns > NUMBERS + NAMES_LEAST ? columns - NUMBERS : NAMES_LEAST;
    return (unsigned)(longest < room ? longest : room);
}

const char *top_pools_heading(char line[TOP_LINE], unsigned names)
{
    snprintf(line, TOP_LINE, "  %-*s %5s %6s %7s %8s %8s %5s", (int)names, "pool", "slots", "held",
             "waiting", "grants/s", "grants", "died");
    return line;
}

const char *top_pool_line(char line[TOP_LINE], const struct top *top, size_t number, unsigned names)
{
    const struct top_pool *pool = &top->pool[number];
    const char mark = number == top->selected && top->count > 1 ? '>' : ' ';
    if (pool->view == NULL) {
        snprintf(line, TOP_LINE, "%c %-*.*s %s", mark, (int)names, (int)names, pool->name,
                 pool->problem);
        return line;
    }
    const struct pool_history *history = &pool->rate.history;
    char rate[TOP_NUMBER] = "-", grants[TOP_NUMBER] = "-", died[TOP_NUMBER] = "-";
    if (pool->rate.known)
        top_number(rate, pool->rate.per_second);
    if (!history->unknown && history->served < 100000)
        snprintf(grants, sizeof grants, "%" PRIu64, history->served);
    else if (!history->unknown)
        top_number(grants, (double)history->served);
    if (!history->unknown)
        snprintf(died, sizeof died, "%u", history->died);
    snprintf(line, TOP_LINE, "%c %-*.*s %5u %6zu %7zu %8s %8s %5s", mark, (int)names, (int)names,
             pool->name, pool->view->slots, pool->view->holder_count, pool->view->waiter_count,
             rate, grants, died);
    return line;
}

/* ---- slots and queue ---- */

/* Fewer slots than holders: the pool has been made smaller, and some have yet to leave. */
static size_t free_slots(const berth_view *view)
{
    return view->slots > view->holder_count ? view->slots - view->holder_count : 0;
}

size_t top_slot_lines(const berth_view *view)
{
    return view->holder_count + (free_slots(view) > 0) + cli_build_count(view);
}

const char *top_slot_line(char line[TOP_LINE], const berth_view *view, size_t number)
{
    char user[CLI_USER_LINE];
    struct cli_build build;
    const size_t after = view->holder_count + (free_slots(view) > 0);
    if (number < view->holder_count)
        snprintf(line, TOP_LINE, "%s", cli_user_line(user, "slot", view->holders[number]));
    else if (number < after)
        snprintf(line, TOP_LINE, "  %zu free", free_slots(view));
    else if (cli_build(view, number - after, &build))
        snprintf(line, TOP_LINE, "%s", cli_build_line(user, &build));
    else
        line[0] = '\0';
    return line;
}

size_t top_queue_lines(const struct top_pool *pool)
{
    return pool->view->waiter_count + cli_lanes_lines(&pool->lanes);
}

/* The pool's own line, and then its lanes. */
const char *top_queue_line(char line[TOP_LINE], const struct top_pool *pool, size_t number)
{
    char user[CLI_USER_LINE];
    const size_t own = pool->view->waiter_count;
    snprintf(line, TOP_LINE, "%s",
             number < own ? cli_user_line(user, "place", pool->view->waiters[number])
                          : cli_lanes_line(user, &pool->lanes, number - own));
    return line;
}

const char *top_number(char text[TOP_NUMBER], double number)
{
    static const char units[] = " kMGTPE";
    unsigned unit = 0;
    for (; number >= 999.95 && units[unit + 1] != '\0'; unit++)
        number /= 1000;
    snprintf(text, TOP_NUMBER,
             unit > 0         ? "%.1f%c"
             : number < 9.995 ? "%.2f"
                              : "%.1f",
             number, units[unit]);
    return text;
}
