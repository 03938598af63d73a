/* Pools as numbers for machines: OpenMetrics, for Prometheus and others that read its text. */
#ifndef BERTH_CLI_METRICS_H
#define BERTH_CLI_METRICS_H

#include "lanes.h"

#include <stdbool.h>
#include <stddef.h>

struct cli_metrics {
    struct cli_metrics_row *row;
    size_t count, room;
};

/* Adds what a look at the pool has found; `options` are those of the look. False: out of memory. */
bool cli_metrics_add(struct cli_metrics *metrics, const char *name, const berth_view *view,
                     const struct cli_lanes *lanes, const berth_options *options);

/* Prints all of it, and the line that ends it. */
void cli_metrics_print(const struct cli_metrics *metrics);
void cli_metrics_free(struct cli_metrics *metrics);

#endif
