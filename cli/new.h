/* What berth new writes: share/new, compiled in. */
#ifndef BERTH_CLI_NEW_H
#define BERTH_CLI_NEW_H

#include "os/text_file.h"

extern const struct text_file new_files[];
extern const size_t new_files_count;

#endif
