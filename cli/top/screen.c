#include "screen.h"

#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

/* The only way onto the screen: whatever the text is, it is cleaned and cut here. */
static void put(unsigned row, unsigned column, const char *text)
{
    wchar_t wide[TOP_LINE];
    if (column >= (unsigned)COLS || row >= (unsigned)LINES)
        return;
    unsigned room = (unsigned)COLS - column;
    top_clean(wide, text, room < TOP_LINE ? room : TOP_LINE - 1);
    mvaddwstr((int)row, (int)column, wide);
}

static void put_right(unsigned row, const char *text)
{
    size_t length = strlen(text);
    put(row, length < (size_t)COLS ? (unsigned)COLS - (unsigned)length : 0, text);
}

static void highlight(unsigned row, attr_t attributes)
{
    mvchgat((int)row, 0, -1, attributes, 0, NULL);
}

/* ---- the parts ---- */

static const struct top_pool *selected(const struct top *top)
{
    return top->count > 0 ? &top->pool[top->selected] : NULL;
}

static const berth_view *shown(const struct top *top)
{
    return top->count > 0 ? selected(top)->view : NULL;
}

static void draw_title(const struct top *top)
{
    char line[TOP_LINE], clock[16];
    const berth_view *view = shown(top);
    time_t now = time(NULL);
    struct tm parts;
    snprintf(line, sizeof line, "berth top  %s", view != NULL ? view->store : "");
    put(0, 0, line);
    if (localtime_r(&now, &parts) == NULL || strftime(clock, sizeof clock, "%H:%M:%S", &parts) == 0)
        clock[0] = '\0';
    snprintf(line, sizeof line, "  every %g s  %s", top->options.delay, clock);
    put_right(0, line);
    highlight(0, A_BOLD);
}

static void draw_pools(const struct screen *screen, unsigned row)
{
    const struct top *top = screen->top;
    const unsigned rows = screen->layout.pools, names = top_name_width(top, (unsigned)COLS);
    char line[TOP_LINE];
    if (screen->layout.framed) {
        put(row, 0, top_pools_heading(line, names));
        highlight(row++, A_REVERSE);
    }
    /* The one that is selected is among those that are shown. */
    size_t first = top->selected < rows ? 0 : top->selected - rows + 1;
    for (unsigned i = 0; i < rows; i++) {
        put(row + i, 0, top_pool_line(line, top, first + i, names));
        if (first + i == top->selected && top->count > 1)
            highlight(row + i, A_BOLD);
    }
}

/* "  3-12 of 500", where not all of them are on the screen. */
static void draw_range(unsigned row, size_t first, size_t rows, size_t lines, bool scrolls)
{
    char text[80];
    if (lines <= rows)
        return;
    snprintf(text, sizeof text, "  %zu-%zu of %zu%s", rows > 0 ? first + 1 : 0, first + rows, lines,
             scrolls ? " *" : "  ");
    put_right(row, text);
}

typedef const char *line_of(char line[TOP_LINE], const struct top_pool *pool, size_t number);

static const char *slot_line(char line[TOP_LINE], const struct top_pool *pool, size_t number)
{
    return top_slot_line(line, pool->view, number);
}

struct part {
    const char *title, *time;
    line_of *line;
    size_t lines, *first;
    unsigned rows;
    bool scrolls;
};

static unsigned draw_part(const struct screen *screen, const struct part *part, unsigned row)
{
    char line[TOP_LINE];
    *part->first = top_scrolled(*part->first, part->lines, part->rows);
    if (screen->layout.framed) {
        snprintf(line, sizeof line, "  %-10s  %7s  %-8s  %9s  %s", part->title, "pid", "user",
                 part->time, "command");
        put(row, 0, line);
        draw_range(row, *part->first, part->rows, part->lines, part->scrolls);
        highlight(row++, A_REVERSE);
    }
    for (unsigned i = 0; i < part->rows && *part->first + i < part->lines; i++)
        put(row + i, 0, part->line(line, selected(screen->top), *part->first + i));
    return row + part->rows;
}

static void draw_bottom(const struct screen *screen)
{
    const struct top *top = screen->top;
    const unsigned row = (unsigned)LINES - 1;
    if (top->problem[0] != '\0') {
        put(row, 0, top->problem);
        highlight(row, A_BOLD);
    } else if (top->count == 0) {
        put(row, 0, "there are no pools; q quits");
    } else {
        put(row, 0,
            top->count > 1 ? "q quit   ? help   Tab next pool   arrows scroll"
                           : "q quit   ? help   arrows scroll");
    }
}

static void draw_help(void)
{
    static const char *const help[] = {
        "q            quit",
        "?            this help; any key leaves it",
        "Tab, right   the next pool; left: the one before",
        "up, down     scroll by a line; PgUp, PgDn: by a page; Home, End",
        "s            whether they scroll the slots or the queue (marked *)",
        "Space        look now",
        "",
        "grants/s     between the last two looks. Grants are tickets that had",
        "             their turn; the dead and those that gave up count too.",
        "died         processes that ended without leaving the pool: killed, or",
        "             gone without closing it. Their slots come back by themselves.",
        "             A pool on etcd keeps none of these numbers: they are \"-\".",
        "held, waited for how long; in minutes and seconds from one minute on",
    };
    enum { COUNT = sizeof help / sizeof help[0], WIDTH = 72 };
    const unsigned left = COLS > WIDTH + 2 ? ((unsigned)COLS - WIDTH) / 2 : 0;
    const unsigned top = LINES > COUNT + 2 ? ((unsigned)LINES - COUNT - 2) / 2 : 0;
    for (unsigned i = 0; i < COUNT + 2; i++) {
        char line[TOP_LINE];
        const char *text = i > 0 && i <= COUNT ? help[i - 1] : "";
        snprintf(line, sizeof line, " %-*s", WIDTH - 1, text);
        attron(A_REVERSE);
        put(top + i, left, line);
        attroff(A_REVERSE);
    }
}

/* ---- all of it ---- */

void screen_draw(struct screen *screen)
{
    const berth_view *view = shown(screen->top);
    const size_t slots = view != NULL ? top_slot_lines(view) : 0;
    const size_t queue = view != NULL ? top_queue_lines(selected(screen->top)) : 0;
    screen->layout = top_layout_of((unsigned)LINES, screen->top->count, slots, queue);
    const struct top_layout *layout = &screen->layout;
    const bool framed = layout->framed;
    erase();
    if (framed)
        draw_title(screen->top);
    draw_pools(screen, framed ? 1 : 0);
    unsigned row = layout->pools + (framed ? 2 : 0);
    row = draw_part(screen,
                    &(struct part){.title = "slots",
                                   .time = "held",
                                   .line = slot_line,
                                   .lines = slots,
                                   .first = &screen->slots_at,
                                   .rows = layout->slots,
                                   .scrolls = screen->scroll_slots},
                    row);
    draw_part(screen,
              &(struct part){.title = "queue",
                             .time = "waited",
                             .line = top_queue_line,
                             .lines = queue,
                             .first = &screen->queue_at,
                             .rows = layout->queue,
                             .scrolls = !screen->scroll_slots},
              row);
    if (framed)
        draw_bottom(screen);
    if (screen->help)
        draw_help();
    refresh();
}
