/* What form of a jobserver a program understands, by what it says of its version. */
#ifndef BERTH_JOBSERVER_VERSION_H
#define BERTH_JOBSERVER_VERSION_H

#include "jobserver/flags.h"

enum version_form {
    VERSION_NO_PROGRAM, /* it cannot be started */
    VERSION_UNKNOWN,
    VERSION_NEITHER,
    VERSION_FDS, /* and no named pipe */
    VERSION_FIFO_ALONE,
    VERSION_BOTH,
};

enum { VERSION_TEXT = 256 };

/* Runs `path --version`. `text` is its first line, without the end of it. */
enum version_form version_ask(enum flags_program program, const char *path,
                              char text[VERSION_TEXT]);
/* The same of a line that is known. */
enum version_form version_read(enum flags_program program, const char *text);

#endif
