/* Which program of a command is the one that a jobserver is for: make in `nice make -j8`, and what
 * `cmake --build` starts. */
#ifndef BERTH_JOBSERVER_COMMAND_H
#define BERTH_JOBSERVER_COMMAND_H

#include "jobserver/flags.h"

enum { COMMAND_PATH = 4096 };

struct command {
    enum flags_program program;
    bool by_cmake;           /* cmake --build starts it */
    char path[COMMAND_PATH]; /* of the program; "" where it is none of those that are known */
    char **argv;             /* its arguments, or those of cmake, in the command's own list */
};

void command_find(struct command *command, char **argv);

/* As flags_take_jobs; of cmake --build too, and of what follows its "--". */
unsigned command_take_jobs(const struct command *command);

#endif
