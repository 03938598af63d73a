#include "pool/options.h"

#include "pool/reason.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* The options of version 0.2, whose size may be left out. */
enum { FIRST_SIZE = offsetof(berth_options, reserved) + sizeof((berth_options *)0)->reserved };

int pool_options_read(const berth_options *options, berth_options *known)
{
    memset(known, 0, sizeof *known);
    if (options == NULL)
        return 0;
    const size_t size = options->size != 0 ? options->size : FIRST_SIZE;
    if (size < FIRST_SIZE || size > 4096)
        return pool_fail(EINVAL, "the size of the options cannot be %zu", size);
    memcpy(known, options, size < sizeof *known ? size : sizeof *known);
    for (size_t i = sizeof *known; i < size; i++) {
        if (((const char *)options)[i] != 0)
            return pool_fail(EINVAL, "an option is set that this version of berth does not know");
    }
    return 0;
}
