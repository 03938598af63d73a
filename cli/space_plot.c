/*
 * One picture of what was counted: a panel for each protocol, values against n, between the bounds.
 * A protocol for several slots has one for each l, unless l makes no difference.
 */
#include "space.h"
#include "svg.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    WIDTH = 1000,
    MARGIN = 24,
    COLUMNS = 3,
    PANEL = (WIDTH - 2 * MARGIN) / COLUMNS,
    HEADING = 118,
    PLOT_TOP = 68,
    PLOT_HEIGHT = 140,
    PANEL_HEIGHT = PLOT_TOP + PLOT_HEIGHT + 58,
    LABELS = 104,  /* width of the words to the right of a panel */
    CITATION = 54, /* characters in a line of small text */
};

/* The numbers of a row, and the colour of each. What the plot is about is series 0. */
enum number { REACHED, UPPER, LOWER, NUMBERS };
static const char *const names[NUMBERS] = {"reached", "upper", "lower"};

static uint64_t number_of(const struct space_row *row, enum number number)
{
    return number == REACHED ? row->values : number == UPPER ? row->upper : row->lower;
}

/* ---- panels: which rows go into one ---- */

struct panel {
    const struct space_table *table;
    const struct protocol_choice *choice;
    unsigned first_l, last_l;
};

static bool same_protocol(const struct protocol_choice *a, const struct protocol_choice *b)
{
    return a->protocol == b->protocol && a->variant == b->variant;
}

static const struct space_row *row_at(const struct space_table *table,
                                      const struct protocol_choice *choice, unsigned n, unsigned l)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct space_row *row = &table->row[i];
        if (same_protocol(&row->choice, choice) && row->params.n == n && row->params.l == l)
            return row;
    }
    return NULL;
}

/* The row of a panel for n, or NULL. */
static const struct space_row *row_of(const struct panel *panel, unsigned n)
{
    const struct space_row *row = NULL;
    for (unsigned l = panel->first_l; row == NULL && l <= panel->last_l; l++)
        row = row_at(panel->table, panel->choice, n, l);
    return row;
}

static bool alike(const struct space_row *a, const struct space_row *b)
{
    return a->end == b->end && a->values == b->values && a->upper == b->upper &&
           a->lower == b->lower;
}

/* Whether the rows with this l say nothing that the panel does not say. */
static bool joins(const struct panel *panel, unsigned l)
{
    bool any = false;
    for (unsigned n = 1; n <= CHECK_MAX_PROCESSES; n++) {
        const struct space_row *row = row_at(panel->table, panel->choice, n, l);
        const struct space_row *shown = row_of(panel, n);
        if (row != NULL && (shown == NULL || !alike(row, shown)))
            return false;
        any |= row != NULL;
    }
    return any;
}

static bool has_rows(const struct panel *panel)
{
    for (unsigned n = 1; n <= CHECK_MAX_PROCESSES; n++) {
        if (row_of(panel, n) != NULL)
            return true;
    }
    return false;
}

/* Calls `each` for every panel; returns how many there are. */
static unsigned for_panels(const struct space_table *table,
                           void (*each)(void *context, unsigned number, const struct panel *panel),
                           void *context)
{
    unsigned number = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct protocol_choice *choice = &table->row[i].choice;
        if (i > 0 && same_protocol(choice, &table->row[i - 1].choice))
            continue;
        for (unsigned l = 1; l <= choice->protocol->max_l;) {
            struct panel panel = {table, choice, l, l};
            l++;
            if (!has_rows(&panel))
                continue;
            while (l <= choice->protocol->max_l && joins(&panel, l))
                panel.last_l = l++;
            each(context, number++, &panel);
        }
    }
    return number;
}

/* ---- a panel ---- */

struct drawing {
    FILE *stream;
    const struct panel *panel;
    double left, top; /* of the panel */
    struct svg_scale x, y;
};

static void draw_citation(const struct drawing *drawing, const char *citation)
{
    size_t cut = strlen(citation);
    if (cut > CITATION) { /* two lines, after a comma if there is one */
        for (cut = CITATION; cut > 0 && strncmp(citation + cut - 1, " ", 1) != 0;)
            cut--;
        for (size_t comma = cut; comma > CITATION / 3; comma--) {
            if (strncmp(citation + comma - 2, ", ", 2) == 0) {
                cut = comma;
                break;
            }
        }
        svg_text(drawing->stream, drawing->left, drawing->top + 43, "muted small", "%s",
                 citation + cut);
    }
    svg_text(drawing->stream, drawing->left, drawing->top + 30, "muted small", "%.*s", (int)cut,
             citation);
}

static void draw_title(const struct drawing *drawing)
{
    const struct panel *panel = drawing->panel;
    const struct protocol *protocol = panel->choice->protocol;
    char name[128], slots[48] = "";
    protocol_full_name(panel->choice, name, sizeof name);
    if (panel->last_l > panel->first_l)
        snprintf(slots, sizeof slots, ", l = %u to %u alike", panel->first_l, panel->last_l);
    else if (protocol->max_l > 1)
        snprintf(slots, sizeof slots, ", l = %u", panel->first_l);
    svg_text(drawing->stream, drawing->left, drawing->top + 14, "fg strong", "%s%s", name, slots);
    draw_citation(drawing, protocol->citation);
}

/* From 0 in steps of round numbers; by powers of ten where it would be flat otherwise. */
static void settle_scales(struct drawing *drawing)
{
    drawing->y.log = true; /* 0 is no value */
    for (unsigned n = 1; n <= CHECK_MAX_PROCESSES; n++) {
        const struct space_row *row = row_of(drawing->panel, n);
        if (row == NULL)
            continue;
        svg_scale_include(&drawing->x, n);
        for (unsigned k = 0; k < NUMBERS; k++)
            svg_scale_include(&drawing->y, (double)number_of(row, k));
    }
    drawing->y.log = drawing->y.high >= 50 * drawing->y.low;
    if (!drawing->y.log) {
        const double step = drawing->y.high / 4;
        const double unit = fmax(1, pow(10, floor(log10(step))));
        drawing->y.low = 0;
        drawing->y.high = 4 * unit * floor(1 + step / unit);
    }
    svg_scale_settle(&drawing->y);
    drawing->x.low -= 0.5;
    drawing->x.high += 0.5;
    drawing->x.from = drawing->left + 34;
    drawing->x.to = drawing->left + PANEL - LABELS;
    drawing->y.from = drawing->top + PLOT_TOP + PLOT_HEIGHT;
    drawing->y.to = drawing->top + PLOT_TOP;
}

static void level_tick(void *context, double value, const char *label)
{
    const struct drawing *drawing = context;
    double y = svg_at(&drawing->y, value);
    svg_rule(drawing->stream, drawing->x.from, y, drawing->x.to, y);
    svg_text(drawing->stream, drawing->x.from - 6, y + 4, "muted small end", "%s", label);
}

static void draw_axes(struct drawing *drawing)
{
    const unsigned first = (unsigned)(drawing->x.low + 0.5), last = (unsigned)drawing->x.high;
    const unsigned step = 1 + (last - first) / 8;
    svg_ticks(&drawing->y, level_tick, drawing);
    for (unsigned n = first; n <= last; n += step)
        svg_text(drawing->stream, svg_at(&drawing->x, n), drawing->y.from + 15,
                 "muted small middle", "%u", n);
    svg_text(drawing->stream, drawing->x.to + 6, drawing->y.from + 15, "muted small", "processes");
    svg_text(drawing->stream, drawing->left, drawing->y.to - 9, "muted small", "%s",
             drawing->y.log ? "values, logarithmic" : "values");
}

/* One of the numbers, from left to right. The place and the value of the last go to *y and *value;
 * false: there is none. */
static bool draw_number(const struct drawing *drawing, enum number number, double *y,
                        uint64_t *value)
{
    const double apart = (drawing->x.to - drawing->x.from) / (drawing->x.high - drawing->x.low);
    const double half = apart < 22 ? 0.4 * apart : 9; /* of a bar: no two of them meet */
    double last_x = 0;
    bool any = false;
    for (unsigned n = 1; n <= CHECK_MAX_PROCESSES; n++) {
        const struct space_row *row = row_of(drawing->panel, n);
        if (row == NULL || number_of(row, number) == 0)
            continue;
        double x = svg_at(&drawing->x, n), last_y = *y;
        *value = number_of(row, number);
        *y = svg_at(&drawing->y, (double)*value);
        if (any)
            svg_segment(drawing->stream, last_x, last_y, x, *y, number);
        if (number == REACHED)
            svg_dot(drawing->stream, x, *y, number, row->end != CHECK_COMPLETE);
        else
            svg_bar(drawing->stream, x - half, x + half, *y, number, false);
        last_x = x;
        any = true;
    }
    return any;
}

static void draw_numbers(const struct drawing *drawing)
{
    static const enum number order[NUMBERS] = {UPPER, LOWER, REACHED}; /* the last is on top */
    double y[NUMBERS], end = 0;
    uint64_t value[NUMBERS], last = 0;
    enum number label[NUMBERS];
    unsigned count = 0;
    for (unsigned k = 0; k < NUMBERS; k++) {
        if (!draw_number(drawing, order[k], &end, &last))
            continue;
        /* From the highest to the lowest; of equals, the upper bound first and the lower one
         * last. */
        unsigned at = count++;
        const bool low = order[k] == LOWER;
        for (; at > 0 && (y[at - 1] > end || (y[at - 1] == end && !low && label[at - 1] == LOWER));
             at--) {
            y[at] = y[at - 1];
            value[at] = value[at - 1];
            label[at] = label[at - 1];
        }
        y[at] = end;
        value[at] = last;
        label[at] = order[k];
    }
    svg_keep_apart(y, count, 13, drawing->y.from);
    for (unsigned i = 0; i < count; i++)
        svg_text(drawing->stream, drawing->x.to + 6, y[i] + 4,
                 label[i] == REACHED ? "fg small strong" : "fg small", "%s %" PRIu64,
                 names[label[i]], value[i]);
}

/* The weightiest of what there is to say about its rows. */
static void draw_note(const struct drawing *drawing)
{
    static const int weights[] = {CLI_OTHERWISE, CLI_INCOMPLETE, CLI_OK};
    for (unsigned w = 0; w < sizeof weights / sizeof weights[0]; w++) {
        for (unsigned n = 1; n <= CHECK_MAX_PROCESSES; n++) {
            const struct space_row *row = row_of(drawing->panel, n);
            if (row == NULL || space_status(row) != weights[w] || *space_note(row) == '\0')
                continue;
            svg_text(drawing->stream, drawing->x.from, drawing->y.from + 31,
                     weights[w] == CLI_OK ? "muted small" : "fg small strong", "n = %u: %s", n,
                     space_note(row));
            return;
        }
    }
}

static void draw_panel(void *context, unsigned number, const struct panel *panel)
{
    const unsigned line = number / COLUMNS;
    struct drawing drawing = {.stream = context,
                              .panel = panel,
                              .left = MARGIN + number % COLUMNS * PANEL,
                              .top = HEADING + line * PANEL_HEIGHT};
    settle_scales(&drawing);
    draw_title(&drawing);
    draw_axes(&drawing);
    draw_numbers(&drawing);
    draw_note(&drawing);
}

/* ---- all of it ---- */

static void count_panel(void *context, unsigned number, const struct panel *panel)
{
    (void)context, (void)number, (void)panel;
}

static void draw_heading(FILE *stream, const struct space_table *table, const char *sizes)
{
    bool whole = true;
    for (size_t i = 0; i < table->count; i++)
        whole &= table->row[i].end == CHECK_COMPLETE;
    svg_text(stream, MARGIN, 34, "fg title",
             "Values of shared memory: reached, and the papers' bounds");
    svg_text(stream, MARGIN, 54, "muted",
             "The most values that any one shared variable takes in a reachable state, against the "
             "number n of processes.");
    svg_text(stream, MARGIN, 70, "muted", "Every reachable state was looked at%s; %s. berth %s.",
             whole ? "" : ", except where a dot is hollow", sizes, BERTH_VERSION);
    svg_dot(stream, MARGIN + 6, 88.4, REACHED, false);
    svg_text(stream, MARGIN + 18, 92, "muted small", "reached");
    svg_bar(stream, MARGIN + 88, MARGIN + 106, 88.4, UPPER, false);
    svg_text(stream, MARGIN + 112, 92, "muted small",
             "upper bound, as the algorithm's source has it");
    svg_bar(stream, MARGIN + 374, MARGIN + 392, 88.4, LOWER, false);
    svg_text(stream, MARGIN + 398, 92, "muted small",
             "lower bound for any algorithm with its properties, as its paper proves it");
}

void space_plot(FILE *stream, const struct space_table *table, const char *sizes)
{
    const unsigned panels = for_panels(table, count_panel, NULL);
    const unsigned lines = (panels + COLUMNS - 1) / COLUMNS;
    svg_begin(stream, WIDTH, HEADING + lines * PANEL_HEIGHT + (panels == 0 ? 40 : 0),
              "berth space");
    draw_heading(stream, table, sizes);
    if (panels == 0)
        svg_text(stream, MARGIN, HEADING + 14, "fg", "No protocol is made for these sizes.");
    for_panels(table, draw_panel, stream);
    svg_end(stream);
}
