/* A protocol file of the user's as text: what its sections consist of. */
#ifndef BERTH_CLI_OWN_TEXT_H
#define BERTH_CLI_OWN_TEXT_H

#include "notation/flow.h"

struct cli_own_reading {
    char *text; /* which the tokens of `file` are in */
    struct notation_file file;
};

/* Reads the file. CLI_OK; else the status after a message, and there is nothing to be freed. */
int cli_own_read(const char *path, struct cli_own_reading *reading);
void cli_own_read_free(struct cli_own_reading *reading);

/* Writes the graph of its accesses, for Graphviz, to `output`. CLI_OK, or the status after a
 * message. */
int cli_own_draw(const char *path, const char *output);

/* Says which word of the file `path` needs `symbol`, such as STEP_ALIVE, which it does not define.
 * False: none does. */
bool cli_own_missing(const char *path, const char *symbol, char *text, size_t size);

#endif
