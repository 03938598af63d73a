/* The sources of the catalogue's protocols, as they were when this was built. */
#ifndef BERTH_PROTOCOL_SOURCE_H
#define BERTH_PROTOCOL_SOURCE_H

#include "os/text_file.h"

extern const struct text_file protocol_sources[];
extern const size_t protocol_sources_count;

/* By its path, such as "src/protocol/burns/move.inc" or "src/../examples/protocol/ticket.c"; NULL:
 * there is none. */
const struct text_file *protocol_source_find(const char *path);

/* Which line of `source` has the word whose first argument is `label`: `line` itself, or the
 * nearest one above. (A word may be written over several lines, and compilers do not agree on which
 * of them it is at.) */
unsigned protocol_source_line(const struct text_file *source, unsigned line, const char *label);

#endif
