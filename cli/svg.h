/* Drawing: what a plot in SVG is made of. Colours are classes of the style sheet in svg.c, which
 * has two sets of them, for light and for dark. */
#ifndef BERTH_CLI_SVG_H
#define BERTH_CLI_SVG_H

#include <stdbool.h>
#include <stdio.h>

void svg_begin(FILE *stream, double width, double height, const char *title);
void svg_end(FILE *stream);

/* `style` is a list of classes: fg, muted, strong, small, end (aligned right), middle. */
void svg_text(FILE *stream, double x, double y, const char *style, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Series are numbered from 0, which stands out. */
void svg_dot(FILE *stream, double x, double y, unsigned series, bool hollow);
void svg_bar(FILE *stream, double x1, double x2, double y, unsigned series, bool thin);
void svg_upright(FILE *stream, double x, double y1, double y2, unsigned series);
void svg_square(FILE *stream, double x, double y, unsigned series, bool hollow);
void svg_segment(FILE *stream, double x1, double y1, double x2, double y2, unsigned series);
void svg_rule(FILE *stream, double x1, double y1, double x2, double y2);

/* From values to places; logarithmic or not. */
struct svg_scale {
    double from, to;  /* places */
    double low, high; /* values */
    bool log;
};

/* Makes the scale wide enough for a value, if that is a number and can be shown. */
void svg_scale_include(struct svg_scale *scale, double value);
/* A little more room at both ends; before the first use. */
void svg_scale_settle(struct svg_scale *scale);
bool svg_scale_empty(const struct svg_scale *scale);
double svg_at(const struct svg_scale *scale, double value);
/* Calls `tick` for each value that an axis should show. */
void svg_ticks(const struct svg_scale *scale,
               void (*tick)(void *context, double value, const char *label), void *context);

/* For labels beside what they name: `y`, which ascends, is changed so that no two are closer than
 * `height` and none is below `lowest`. */
void svg_keep_apart(double *y, unsigned count, double height, double lowest);

/* Three digits, and k or M for thousands and millions. */
enum { SVG_NUMBER = 24 };
const char *svg_number(char text[SVG_NUMBER], double value);

#endif
