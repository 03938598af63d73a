/* What clients read of a jobserver: MAKEFLAGS, and -j among the arguments of a command. */
#ifndef BERTH_JOBSERVER_FLAGS_H
#define BERTH_JOBSERVER_FLAGS_H

#include "jobserver/pipes.h"

/* MAKEFLAGS with this jobserver, for this many jobs: what `before` says of another one is left out,
 * and the rest of it stays; it may be NULL. The caller frees it; NULL: no memory. */
char *flags_make(const char *before, const struct pipes *pipes, unsigned jobs);

/* Programs whose -j would make them a jobserver of their own. */
enum flags_program { FLAGS_OTHER, FLAGS_MAKE, FLAGS_NINJA, FLAGS_CARGO };
enum flags_program flags_program(const char *path);

/* Takes -j, -jN, -j N, --jobs and --jobs=N out of the arguments of make or ninja, up to a "--";
 * argv is changed in place, and its words may be. The last N, 0 if there was none (or no limit). */
unsigned flags_take_jobs(enum flags_program program, char **argv);

#endif
