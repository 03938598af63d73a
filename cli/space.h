/* What `berth space` has counted, and how it is drawn. */
#ifndef BERTH_CLI_SPACE_H
#define BERTH_CLI_SPACE_H

#include "cli.h"

struct space_row {
    struct protocol_choice choice;
    struct step_params params;
    enum check_end end;
    uint64_t values;       /* so far, where the end is not CHECK_COMPLETE */
    uint64_t upper, lower; /* 0: no bound */
};

/* In the order of the catalogue, then of n, then of l. */
struct space_table {
    struct space_row *row;
    size_t count, room;
};

/* CLI_OTHERWISE: it contradicts a bound; CLI_INCOMPLETE: it is not known whether it does. */
int space_status(const struct space_row *row);
/* What is remarkable about a row; "" if nothing is. */
const char *space_note(const struct space_row *row);

/* A plot: space_plot.c. `sizes` says in words which sizes were looked at. */
void space_plot(FILE *stream, const struct space_table *table, const char *sizes);

#endif
