/* What a caller asks for, whichever version of berth.h it was compiled with. */
#ifndef BERTH_POOL_OPTIONS_H
#define BERTH_POOL_OPTIONS_H

#include "berth.h"

/* Copies the options; NULL is the default for all of them. EINVAL: they say what this version of
 * the library does not know. */
int pool_options_read(const berth_options *options, berth_options *known);

#endif
