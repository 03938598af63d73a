/*
 * One picture of a run: a panel for each thing that was measured. Subjects keep their colour and
 * their row throughout. A case that was not measured has no panel.
 */
#include "bench_report.h"
#include "svg.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 1000,
    MARGIN = 24,
    COLUMNS = 3,
    PANEL = (WIDTH - 2 * MARGIN) / COLUMNS,
    HEADING = 92,
    ROW = 26,
    PANEL_TOP = 46,
    PANEL_HEIGHT = PANEL_TOP + BENCH_SUBJECTS * ROW + 42,
    LABELS = 88, /* width of the names of the rows */
};

struct plot {
    FILE *stream;
    const struct bench_report *report;
    unsigned panels; /* drawn so far */
    double x, y;     /* of the one that is being drawn */
};

/* ---- the numbers ---- */

static const struct bench_row *find(const struct plot *plot, enum bench_case of,
                                    const char *subject, unsigned processes, unsigned slots,
                                    double section_us)
{
    for (size_t i = 0; i < plot->report->count; i++) {
        const struct bench_row *row = &plot->report->row[i];
        if (row->of == of && strcmp(row->subject, subject) == 0 && row->slots == slots &&
            (processes == 0 || row->processes == processes) &&
            (section_us < 0 || row->section_us == section_us))
            return row;
    }
    return NULL;
}

/* The most processes that were measured; 0: the case is not there. */
static unsigned contenders(const struct plot *plot)
{
    unsigned processes = 0;
    for (size_t i = 0; i < plot->report->count; i++) {
        const struct bench_row *row = &plot->report->row[i];
        if (row->of == BENCH_CONTENDED && row->processes > processes)
            processes = row->processes;
    }
    return processes;
}

/* ---- panels ---- */

/* A value with its spread, and something further off: the longest, where the value is a p99. */
struct mark {
    struct bench_spread spread;
    double most;
    const char *instead; /* words where there is no number */
};

static const struct mark no_mark = {{NAN, NAN, NAN}, NAN, NULL};

static void begin_panel(struct plot *plot, const char *title, const char *unit)
{
    const unsigned line = plot->panels / COLUMNS;
    plot->x = MARGIN + (plot->panels % COLUMNS) * PANEL;
    plot->y = HEADING + line * PANEL_HEIGHT;
    plot->panels++;
    svg_text(plot->stream, plot->x, plot->y + 14, "fg strong", "%s", title);
    svg_text(plot->stream, plot->x, plot->y + 30, "muted small", "%s", unit);
}

static double row_y(const struct plot *plot, unsigned row)
{
    return plot->y + PANEL_TOP + ROW * (row + 0.5);
}

static void row_label(const struct plot *plot, unsigned row, const char *label)
{
    svg_text(plot->stream, plot->x + LABELS - 8, row_y(plot, row) + 4,
             row == 0 ? "fg strong end" : "fg end", "%s", label);
}

struct axis {
    const struct plot *plot;
    const struct svg_scale *scale;
    double top, bottom;
};

static void upright_tick(void *context, double value, const char *label)
{
    const struct axis *axis = context;
    double x = svg_at(axis->scale, value);
    svg_rule(axis->plot->stream, x, axis->top, x, axis->bottom);
    svg_text(axis->plot->stream, x, axis->bottom + 14, "muted small middle", "%s", label);
}

static void draw_mark(const struct plot *plot, const struct svg_scale *scale, unsigned row,
                      unsigned series, const struct mark *mark, double shift, bool hollow)
{
    const char *style = row == 0 ? "fg small strong" : "fg small";
    char text[SVG_NUMBER], most[SVG_NUMBER];
    const double y = row_y(plot, row) + shift;
    if (!isfinite(mark->spread.median)) {
        if (mark->instead != NULL)
            svg_text(plot->stream, scale->from + 6, y + 4, "muted small", "%s", mark->instead);
        return;
    }
    double x = svg_at(scale, mark->spread.median), right = svg_at(scale, mark->spread.high);
    if (isfinite(mark->most)) {
        svg_bar(plot->stream, right, svg_at(scale, mark->most), y, series, true);
        right = svg_at(scale, mark->most);
    }
    svg_bar(plot->stream, svg_at(scale, mark->spread.low), svg_at(scale, mark->spread.high), y,
            series, false);
    svg_dot(plot->stream, x, y, series, hollow);
    right = right > x ? right : x;
    svg_number(text, mark->spread.median);
    if (isfinite(mark->most))
        svg_text(plot->stream, right + 8, y + 3.6, style, "%s / %s", text,
                 svg_number(most, mark->most));
    else
        svg_text(plot->stream, right + 8, y + 3.6, style, "%s", text);
}

/* A panel with a row for each label: a full dot for one slot, and a hollow one for several. */
struct dots {
    const char *title, *unit;
    bool log;
    unsigned rows;
    const char *label[BENCH_SUBJECTS];
    unsigned series[BENCH_SUBJECTS];
    struct mark one[BENCH_SUBJECTS], several[BENCH_SUBJECTS];
};

/* False: there is nothing to show. */
static bool dots_scale(const struct dots *dots, struct svg_scale *scale, double *beside)
{
    *scale = (struct svg_scale){.log = dots->log};
    *beside = 48; /* room for the number beside the last dot */
    for (unsigned i = 0; i < dots->rows; i++) {
        const struct mark *mark[] = {&dots->one[i], &dots->several[i]};
        for (unsigned k = 0; k < 2; k++) {
            svg_scale_include(scale, mark[k]->spread.low);
            svg_scale_include(scale, mark[k]->spread.high);
            svg_scale_include(scale, mark[k]->most);
            if (isfinite(mark[k]->most))
                *beside = 84;
        }
    }
    if (svg_scale_empty(scale))
        return false;
    if (!dots->log) {
        scale->low = 0;
        scale->high = scale->high > 1 ? scale->high : 1;
    }
    svg_scale_settle(scale);
    return true;
}

static void dot_panel(struct plot *plot, const struct dots *dots)
{
    struct svg_scale scale;
    double beside;
    if (!dots_scale(dots, &scale, &beside))
        return;
    begin_panel(plot, dots->title, dots->unit);
    scale.from = plot->x + LABELS;
    scale.to = plot->x + PANEL - beside - 12;
    struct axis axis = {plot, &scale, plot->y + PANEL_TOP, plot->y + PANEL_TOP + dots->rows * ROW};
    svg_ticks(&scale, upright_tick, &axis);
    for (unsigned i = 0; i < dots->rows; i++) {
        bool two = isfinite(dots->several[i].spread.median);
        row_label(plot, i, dots->label[i]);
        draw_mark(plot, &scale, i, dots->series[i], &dots->several[i], 6, true);
        draw_mark(plot, &scale, i, dots->series[i], &dots->one[i], two ? -6 : 0, false);
    }
}

/* What of a row a panel shows. */
typedef struct mark mark_of(const struct bench_row *row);

/* Which rows: `processes` 0 or a negative section takes the first that there is. */
struct which {
    enum bench_case of;
    unsigned processes;
    double section_us;
    bool several; /* those with several slots too */
};

static void subject_panel(struct plot *plot, const char *title, const char *unit, bool log,
                          const struct which *which, mark_of *shows)
{
    struct dots dots = {.title = title, .unit = unit, .log = log, .rows = BENCH_SUBJECTS};
    for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
        const char *name = bench_subjects[s]->name;
        const struct bench_row *one =
            find(plot, which->of, name, which->processes, 1, which->section_us);
        const struct bench_row *several =
            find(plot, which->of, name, which->processes, BENCH_SLOTS, which->section_us);
        dots.label[s] = name;
        dots.series[s] = s;
        dots.one[s] = one != NULL ? shows(one) : no_mark;
        dots.several[s] = several != NULL && which->several ? shows(several) : no_mark;
    }
    dot_panel(plot, &dots);
}

static struct mark show_time(const struct bench_row *row)
{
    return (struct mark){.spread = row->ns_per_pair, .most = NAN};
}

static struct mark show_cpu_us(const struct bench_row *row)
{
    const struct bench_spread *ns = &row->cpu_ns_per_pair;
    return (struct mark){{ns->median / 1e3, ns->low / 1e3, ns->high / 1e3}, NAN, NULL};
}

static struct mark show_fairness(const struct bench_row *row)
{
    return (struct mark){.spread = row->fairness, .most = NAN};
}

static struct mark show_wait(const struct bench_row *row)
{
    return (struct mark){{row->p99_us, row->p50_us, row->p99_us}, row->max_us, NULL};
}

static struct mark show_recovery(const struct bench_row *row)
{
    return (struct mark){{row->p99_us / 1e3, row->p50_us / 1e3, row->p99_us / 1e3},
                         row->max_us / 1e3,
                         isfinite(row->p99_us) ? NULL : "never"};
}

/* ---- the panels that are not made of dots ---- */

static void kills_panel(struct plot *plot)
{
    bool begun = false;
    for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
        const char *name = bench_subjects[s]->name;
        const struct bench_row *row = find(plot, BENCH_KILLS, name, 0, bench_subjects[s]->most, -1);
        if (row == NULL || !isfinite(row->slots_left))
            continue;
        if (!begun)
            begin_panel(plot, "Slots left after 200 kills",
                        "of 4, or of 1 where there is one only");
        begun = true;
        row_label(plot, s, name);
        for (unsigned i = 0; i < row->slots; i++)
            svg_square(plot->stream, plot->x + LABELS + 4 + 19 * i, row_y(plot, s), s,
                       i >= row->slots_left);
        svg_text(plot->stream, plot->x + LABELS + 4 + 19 * BENCH_SLOTS + 4, row_y(plot, s) + 4,
                 s == 0 ? "fg small strong" : "fg small", "%.0f of %u", row->slots_left,
                 row->slots);
    }
}

static void command_panel(struct plot *plot)
{
    static const struct {
        const char *name;
        unsigned slots, series;
    } commands[] = {{"berth run", BENCH_SLOTS, 0},
                    {"flock", 1, 4},
                    {"sem", BENCH_SLOTS, 6},
                    {"fork+exec", 0, 6}};
    struct dots dots = {.title = "Running `true` with a slot",
                        .unit = "milliseconds until it has ended, logarithmic",
                        .log = true,
                        .rows = sizeof commands / sizeof commands[0]};
    for (unsigned i = 0; i < dots.rows; i++) {
        const struct bench_row *row =
            find(plot, BENCH_COMMAND, commands[i].name, 0, commands[i].slots, -1);
        dots.label[i] = commands[i].name;
        dots.series[i] = commands[i].series;
        dots.one[i] = dots.several[i] = no_mark;
        if (row == NULL)
            continue;
        const struct bench_spread *ns = &row->ns_per_pair;
        dots.one[i].spread = (struct bench_spread){ns->median / 1e6, ns->low / 1e6, ns->high / 1e6};
        dots.one[i].instead = "not available here";
    }
    dot_panel(plot, &dots);
}

/* ---- CPU time against the number of processes ---- */

static const unsigned sizes[] = {2, 8, 16, 64};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

struct lines {
    struct plot *plot;
    unsigned slots;
    struct svg_scale x, y;
    double end[BENCH_SUBJECTS]; /* where each line ends; NAN: there is none */
};

static void level_tick(void *context, double value, const char *label)
{
    const struct lines *lines = context;
    double y = svg_at(&lines->y, value);
    svg_rule(lines->plot->stream, lines->x.from, y, lines->x.to, y);
    svg_text(lines->plot->stream, lines->x.from - 6, y + 4, "muted small end", "%s", label);
}

static struct bench_spread cpu_at(const struct lines *lines, unsigned s, unsigned size)
{
    const struct bench_row *row =
        find(lines->plot, BENCH_CONTENDED, bench_subjects[s]->name, sizes[size], lines->slots, 1);
    return row != NULL ? show_cpu_us(row).spread : bench_unknown;
}

static void draw_line(struct lines *lines, unsigned s)
{
    FILE *stream = lines->plot->stream;
    double last_x = NAN, last_y = NAN;
    for (unsigned i = 0; i < SIZES; i++) {
        struct bench_spread cpu = cpu_at(lines, s, i);
        if (!isfinite(cpu.median))
            continue;
        double x = svg_at(&lines->x, sizes[i]), y = svg_at(&lines->y, cpu.median);
        if (isfinite(last_x))
            svg_segment(stream, last_x, last_y, x, y, s);
        svg_upright(stream, x, svg_at(&lines->y, cpu.low), svg_at(&lines->y, cpu.high), s);
        svg_dot(stream, x, y, s, false);
        last_x = x;
        last_y = y;
    }
    lines->end[s] = last_y;
}

/* At the right ends of the lines, but no two of them on top of each other, and none too low. */
static void label_lines(const struct lines *lines)
{
    const double height = 13;
    unsigned order[BENCH_SUBJECTS], count = 0;
    double y[BENCH_SUBJECTS];
    for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
        unsigned at = count;
        if (!isfinite(lines->end[s]))
            continue;
        for (; at > 0 && lines->end[order[at - 1]] > lines->end[s]; at--)
            order[at] = order[at - 1];
        order[at] = s;
        count++;
    }
    for (unsigned i = 0; i < count; i++)
        y[i] = lines->end[order[i]];
    svg_keep_apart(y, count, height, lines->y.from);
    for (unsigned i = 0; i < count; i++)
        svg_text(lines->plot->stream, lines->x.to + 6, y[i] + 4,
                 order[i] == 0 ? "fg small strong" : "fg small", "%s",
                 bench_subjects[order[i]]->name);
}

static void lines_scales(struct lines *lines)
{
    for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
        for (unsigned i = 0; i < SIZES && !bench_subjects[s]->spins; i++) {
            struct bench_spread cpu = cpu_at(lines, s, i);
            svg_scale_include(&lines->y, cpu.low);
            svg_scale_include(&lines->y, cpu.high);
            if (isfinite(cpu.median))
                svg_scale_include(&lines->x, sizes[i]);
        }
    }
}

static void line_panel(struct plot *plot, unsigned slots)
{
    struct lines lines = {.plot = plot, .slots = slots, .x.log = true, .y.log = true};
    lines_scales(&lines);
    if (lines.x.low == lines.x.high) /* one size makes no line */
        return;
    const unsigned least = (unsigned)lines.x.low, most = (unsigned)lines.x.high;
    begin_panel(
        plot, slots == 1 ? "CPU time by processes, 1 slot" : "CPU time by processes, 4 slots",
        slots == 1 ? "\xc2\xb5s per pair, section 1 \xc2\xb5s, log.; a spin lock is off the scale"
                   : "\xc2\xb5s per pair, section 1 \xc2\xb5s, logarithmic");
    svg_scale_settle(&lines.x);
    svg_scale_settle(&lines.y);
    lines.x.from = plot->x + 34;
    lines.x.to = plot->x + PANEL - 92;
    lines.y.from = plot->y + PANEL_TOP + BENCH_SUBJECTS * ROW;
    lines.y.to = plot->y + PANEL_TOP;
    svg_ticks(&lines.y, level_tick, &lines);
    for (unsigned i = 0; i < SIZES; i++) {
        if (sizes[i] >= least && sizes[i] <= most)
            svg_text(plot->stream, svg_at(&lines.x, sizes[i]), lines.y.from + 14,
                     "muted small middle", "%u", sizes[i]);
    }
    svg_text(plot->stream, lines.x.to + 6, lines.y.from + 14, "muted small", "processes");
    for (unsigned s = BENCH_SUBJECTS; s-- > 0;) { /* the first on top */
        lines.end[s] = NAN;
        if (!bench_subjects[s]->spins)
            draw_line(&lines, s);
    }
    label_lines(&lines);
}

/* ---- all of it ---- */

static void contended_panels(struct plot *plot)
{
    const unsigned n = contenders(plot);
    const struct which both = {BENCH_CONTENDED, n, 1, true}, one = {BENCH_CONTENDED, n, 1, false};
    char with[48], unit[120];
    snprintf(with, sizeof with, "%u processes, section 1 \xc2\xb5s", n);
    snprintf(unit, sizeof unit, "\xc2\xb5s per pair, logarithmic; %s", with);
    subject_panel(plot, "CPU time under contention", unit, true, &both, show_cpu_us);
    snprintf(unit, sizeof unit, "Jain's index, 1 is even; %s", with);
    subject_panel(plot, "Fairness", unit, false, &both, show_fairness);
    snprintf(unit, sizeof unit, "p50 to p99 (dot) to longest; %s", with);
    subject_panel(plot, "Wait for the one slot, p99 / longest, \xc2\xb5s", unit, true, &one,
                  show_wait);
    line_panel(plot, 1);
    line_panel(plot, BENCH_SLOTS);
}

static void draw_panels(struct plot *plot)
{
    const struct which uncontended = {BENCH_UNCONTENDED, 0, -1, true},
                       recovery = {BENCH_RECOVERY, 0, -1, true};
    subject_panel(plot, "Uncontended pair", "nanoseconds, logarithmic", true, &uncontended,
                  show_time);
    kills_panel(plot);
    subject_panel(plot, "Recovery from SIGKILL, p99 / longest, ms",
                  "p50 to p99 (dot) to longest, logarithmic", true, &recovery, show_recovery);
    contended_panels(plot);
    command_panel(plot);
}

static unsigned count_panels(const struct bench_report *report, FILE *nowhere)
{
    struct plot plot = {.stream = nowhere, .report = report};
    draw_panels(&plot);
    return plot.panels;
}

void bench_plot(FILE *stream, const struct bench_report *report, const struct bench_plan *plan)
{
    struct plot plot = {.stream = stream, .report = report};
    char machine[256];
    FILE *nowhere = fopen("/dev/null", "we"); /* drawn once to see how large it gets */
    unsigned panels = nowhere != NULL ? count_panels(report, nowhere) : 3 * COLUMNS;
    const unsigned lines = (panels + COLUMNS - 1) / COLUMNS;
    const double height = HEADING + lines * PANEL_HEIGHT + 8;
    if (nowhere != NULL)
        fclose(nowhere);
    bench_machine_text(machine, sizeof machine, &report->machine);
    svg_begin(stream, WIDTH, height, "berth bench");
    svg_text(stream, MARGIN, 34, "fg title",
             "Slots among processes: berth beside the alternatives");
    char busy[64] = "";
    if (report->machine.load > 0.5)
        snprintf(busy, sizeof busy, "; other work was going on: a load of %.1f",
                 report->machine.load);
    svg_text(stream, MARGIN, 54, "muted", "%s; one interleaved run (%s)%s", machine,
             plan->quick ? "quick" : "full", busy);
    svg_dot(stream, MARGIN + 4, 70.4, 6, false);
    svg_text(stream, MARGIN + 14, 74, "muted small", "1 slot");
    svg_dot(stream, MARGIN + 62, 70.4, 6, true);
    svg_text(
        stream, MARGIN + 72, 74, "muted small",
        "4 slots. Dots are medians of rounds and bars quartiles, unless said otherwise. Less is "
        "better, except for slots left and fairness.");
    draw_panels(&plot);
    svg_end(stream);
}
