/*
 * A transformation takes a protocol file as it is and makes another protocol of it, as a proof in a
 * paper does: the new system's steps are given in terms of the old one's. The file has this shape:
 *
 *     #define TRANSFORMED flbb_bank_a                 the C name of the new protocol
 *     #define MORE_CELLS(cell, cells, registers) ...  the variables that it adds
 *     #define HAS_LOCK                                all of them are one variable
 *     #include "protocol/burns/a.c"                   the source: words, sections, `step_source`
 *     #include "step/transform.h"
 *     ...
 *     TRANSFORMED_PROTOCOL(...)
 *     #include "step/end.h"
 *
 * and defines, between the last two includes, for the model expansion
 *
 *     TRANSFORMED_PLACES how many places a process has; the source's are 0 .. STEP_PC_DEAD
 *     TRANSFORMED_REGION(pc) the region of each TRANSFORMED_MOVE a step, with the arguments of
 *     step_move, in terms of it TRANSFORMED_SHOW the name of a value, in terms of step_show
 *
 * and for the native one
 *
 *     TRANSFORMED_ACQUIRE, TRANSFORMED_RELEASE        in terms of step_acquire and step_exit
 *     step_join(params, V)         what is done in one step with the source's next access, where
 *                                  my->joins has been set before; false: that has to wait
 *
 * The source runs as variant 0 of itself; the variants are those of the transformation.
 */
#ifndef BERTH_STEP_TRANSFORM_H
#define BERTH_STEP_TRANSFORM_H

#define TRANSFORMATION
#include "step/sections.h"

#endif
