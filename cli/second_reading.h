/* A check is made twice: the fast way, and plainly. Both have to agree. */
#ifndef BERTH_CLI_SECOND_READING_H
#define BERTH_CLI_SECOND_READING_H

#include "protocol_or_table.h"

#include "protocol/checked.h"

#include <stdbool.h>

/* What a check is asked for. */
struct cli_asked {
    const struct cli_system *system;
    const struct check_limits *limits;
    uint64_t only;
    bool all;
    bool says; /* a line on standard output says that both agree */
};

/* Compares the two ways at the sizes below that of `asked->system`, up to the first that takes the
 * plain way too many states. CLI_OK, or the status after a message. */
int cli_read_smaller_twice(const struct cli_asked *asked);

/* Compares `first`, which the fast way has found, with what the plain way finds in `states` states,
 * 0: in all. CLI_OK if it finds nothing else; else the status after a message, with the schedule
 * where there is one. */
int cli_read_twice(const struct cli_asked *asked, const struct protocol_checked *first,
                   uint64_t states);

/* Looks for a DOORWAY that waits, at the least size. What is said of waiting begins behind the
 * doorway, and would be true of nothing. CLI_OK, or the status after a message. */
int cli_look_at_doorway(const struct cli_asked *asked);

enum { CLI_PLAIN_STATES = 100000 }; /* of a file of the user's, always */

#endif
