/* The stores that have to be ordered for the claims of a protocol to hold. */
#ifndef BERTH_CLI_FENCES_H
#define BERTH_CLI_FENCES_H

#include "protocol_or_table.h"

/* Looks for a smallest set of them and prints it. CLI_OK, CLI_OTHERWISE where no set will do, or
 * the status after a message. */
int cli_fences(const struct cli_system *system, const struct check_limits *limits, uint64_t only,
               bool json);

#endif
