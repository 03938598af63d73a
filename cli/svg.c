#include "svg.h"

#include <math.h>
#include <stdarg.h>

/* A plot is looked at on its own: the colours are in it, and they follow the reader's choice of
 * light or dark. Series 0 is what the plot is about. */
static const char style[] =
    "<style>\n"
    "text { font: 12px system-ui, -apple-system, \"Segoe UI\", \"DejaVu Sans\", sans-serif; }\n"
    ".title { font-size: 19px; font-weight: 600; }\n"
    ".strong { font-weight: 600; }\n"
    ".small { font-size: 10.5px; }\n"
    ".end { text-anchor: end; }\n"
    ".middle { text-anchor: middle; }\n"
    ".bg { fill: #ffffff; }\n"
    ".fg { fill: #1f2328; }\n"
    ".muted { fill: #59636e; }\n"
    ".rule { stroke: #d1d9e0; stroke-width: 1; }\n"
    ".s0 { fill: #0b5fd0; stroke: #0b5fd0; }\n"
    ".s1 { fill: #b35900; stroke: #b35900; }\n"
    ".s2 { fill: #0f7b4f; stroke: #0f7b4f; }\n"
    ".s3 { fill: #a8327d; stroke: #a8327d; }\n"
    ".s4 { fill: #8a6d00; stroke: #8a6d00; }\n"
    ".s5 { fill: #5b4bb5; stroke: #5b4bb5; }\n"
    ".s6 { fill: #6e7781; stroke: #6e7781; }\n"
    ".s7 { fill: #0a7d8c; stroke: #0a7d8c; }\n"
    ".hollow { fill: #ffffff; }\n"
    ".line { fill: none; stroke-width: 1.6; }\n"
    ".s0.line { stroke-width: 3; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    ".bg { fill: #0d1117; }\n"
    ".fg { fill: #e6edf3; }\n"
    ".muted { fill: #9da7b3; }\n"
    ".rule { stroke: #30363d; }\n"
    ".s0 { fill: #58a6ff; stroke: #58a6ff; }\n"
    ".s1 { fill: #f0a050; stroke: #f0a050; }\n"
    ".s2 { fill: #4cc38a; stroke: #4cc38a; }\n"
    ".s3 { fill: #e885c4; stroke: #e885c4; }\n"
    ".s4 { fill: #d9bb4a; stroke: #d9bb4a; }\n"
    ".s5 { fill: #a99bf5; stroke: #a99bf5; }\n"
    ".s6 { fill: #9aa4af; stroke: #9aa4af; }\n"
    ".s7 { fill: #4fc3d4; stroke: #4fc3d4; }\n"
    ".hollow { fill: #0d1117; }\n"
    ".line { fill: none; }\n"
    "}\n"
    "</style>\n";

static void escaped(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<': fputs("&lt;", stream); break;
        case '>': fputs("&gt;", stream); break;
        case '&': fputs("&amp;", stream); break;
        case '"': fputs("&quot;", stream); break;
        default: fputc(*text, stream);
        }
    }
}

void svg_begin(FILE *stream, double width, double height, const char *title)
{
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
            "viewBox=\"0 0 %g %g\" role=\"img\">\n<title>",
            width, height, width, height);
    escaped(stream, title);
    fprintf(stream, "</title>\n%s<rect class=\"bg\" width=\"%g\" height=\"%g\"/>\n", style, width,
            height);
}

void svg_end(FILE *stream)
{
    fputs("</svg>\n", stream);
}

void svg_text(FILE *stream, double x, double y, const char *classes, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, classes);
    escaped(stream, text);
    fputs("</text>\n", stream);
}

void svg_dot(FILE *stream, double x, double y, unsigned series, bool hollow)
{
    fprintf(stream,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\" stroke-width=\"1.6\" class=\"s%u%s\"/>\n", x,
            y, series == 0 ? 4.6 : 3.6, series, hollow ? " hollow" : "");
}

void svg_segment(FILE *stream, double x1, double y1, double x2, double y2, unsigned series)
{
    fprintf(stream, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"s%u line\"/>\n",
            x1, y1, x2, y2, series);
}

void svg_bar(FILE *stream, double x1, double x2, double y, unsigned series, bool thin)
{
    fprintf(stream,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"s%u\" "
            "stroke-width=\"%g\" stroke-opacity=\"0.55\"/>\n",
            x1, y, x2, y, series, thin ? 1.2 : 4.0);
}

void svg_upright(FILE *stream, double x, double y1, double y2, unsigned series)
{
    fprintf(stream,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"s%u\" "
            "stroke-width=\"4\" stroke-opacity=\"0.4\"/>\n",
            x, y1, x, y2, series);
}

void svg_square(FILE *stream, double x, double y, unsigned series, bool hollow)
{
    fprintf(stream,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"13\" height=\"13\" rx=\"2\" stroke-width=\"1.4\" "
            "class=\"s%u%s\"%s/>\n",
            x, y - 6.5, series, hollow ? " hollow" : "", hollow ? " stroke-dasharray=\"2 2\"" : "");
}

void svg_rule(FILE *stream, double x1, double y1, double x2, double y2)
{
    fprintf(stream, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"rule\"/>\n", x1,
            y1, x2, y2);
}

/* ---- scales ---- */

void svg_scale_include(struct svg_scale *scale, double value)
{
    if (!isfinite(value) || (scale->log && value <= 0))
        return;
    if (svg_scale_empty(scale))
        scale->low = scale->high = value;
    scale->low = value < scale->low ? value : scale->low;
    scale->high = value > scale->high ? value : scale->high;
}

bool svg_scale_empty(const struct svg_scale *scale)
{
    return scale->low == 0 && scale->high == 0;
}

void svg_scale_settle(struct svg_scale *scale)
{
    if (scale->log) {
        scale->low /= 1.5;
        scale->high *= 1.5;
    }
}

double svg_at(const struct svg_scale *scale, double value)
{
    double low = scale->low, high = scale->high;
    if (scale->log) {
        value = log10(value < low ? low : value);
        low = log10(low);
        high = log10(high);
    }
    double share = high > low ? (value - low) / (high - low) : 0.5;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return scale->from + share * (scale->to - scale->from);
}

static void log_ticks(const struct svg_scale *scale,
                      void (*tick)(void *context, double value, const char *label), void *context)
{
    char text[SVG_NUMBER];
    int first = (int)ceil(log10(scale->low) - 1e-9), last = (int)floor(log10(scale->high) + 1e-9);
    /* At most five of them; where there would be fewer than two, the powers of ten in halves. */
    int step = 1 + (last - first) / 5;
    for (int power = first; power <= last; power += step)
        tick(context, pow(10, power), svg_number(text, pow(10, power)));
    if (last > first)
        return;
    for (int power = first - 1; power <= last; power++) {
        for (int digit = 2; digit <= 5; digit += 3) {
            double value = digit * pow(10, power);
            if (value >= scale->low && value <= scale->high)
                tick(context, value, svg_number(text, value));
        }
    }
}

void svg_ticks(const struct svg_scale *scale,
               void (*tick)(void *context, double value, const char *label), void *context)
{
    char text[SVG_NUMBER];
    if (scale->log) {
        log_ticks(scale, tick, context);
        return;
    }
    for (int i = 0; i <= 4; i++) {
        double value = scale->low + i * (scale->high - scale->low) / 4;
        tick(context, value, svg_number(text, value));
    }
}

void svg_keep_apart(double *y, unsigned count, double height, double lowest)
{
    for (unsigned i = 1; i < count; i++)
        y[i] = fmax(y[i], y[i - 1] + height);
    for (unsigned i = count; i-- > 0;)
        y[i] = fmin(y[i], i + 1 < count ? y[i + 1] - height : lowest);
}

const char *svg_number(char text[SVG_NUMBER], double value)
{
    const char *unit = value >= 999500 ? "M" : value >= 9995 ? "k" : "";
    double number = value / (value >= 999500 ? 1e6 : value >= 9995 ? 1e3 : 1);
    snprintf(text, SVG_NUMBER, "%.3g%s", number, unit);
    if (number >= 999.5) /* %g would write 1e+03 */
        snprintf(text, SVG_NUMBER, "%.0f%s", number, unit);
    return text;
}
