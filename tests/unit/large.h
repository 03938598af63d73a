/* Which variants a test that looks at all of them may leave out, since none of their sizes is
 * small. */
#ifndef BERTH_TESTS_LARGE_H
#define BERTH_TESTS_LARGE_H

#include <stddef.h>
#include <stdint.h>

/* Each size of the variant, by its full name, has more states than this; 0 for one that is not
 * listed. */
uint64_t large_above(const char *name);

#endif
