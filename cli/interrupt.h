/* Ctrl-C in a command that takes long: it ends, and says what it knows. */
#ifndef BERTH_CLI_INTERRUPT_H
#define BERTH_CLI_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>

/* Counts SIGINT and SIGTERM from now on; the third ends the command. NULL: they cannot be caught.
 */
const _Atomic(unsigned) *cli_catch_interrupts(void);

/* Whether a line on standard error, written over again and again, is seen by a person: twice a
 * second at most. `last` is when one was written. */
bool cli_shows_progress(double seconds, double *last);
void cli_clear_progress(double last);

#endif
