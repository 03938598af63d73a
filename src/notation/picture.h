/* The graph of the accesses of a protocol file, for Graphviz. */
#ifndef BERTH_NOTATION_PICTURE_H
#define BERTH_NOTATION_PICTURE_H

#include "notation/flow.h"

#include <stdio.h>

/* Writes each section with steps as a cluster: an access is a node, and an edge leads to each
 * access that may be the next one, whatever the conditions are. False: a section was not
 * understood, or there is no memory; `section` is its name. */
bool notation_draw(const struct notation_file *file, FILE *stream,
                   const struct notation_token **section);

#endif
