/* A text that was compiled in, by cmake/embed.cmake. */
#ifndef BERTH_OS_TEXT_FILE_H
#define BERTH_OS_TEXT_FILE_H

#include <stddef.h>

struct text_file {
    const char *path; /* below the source folder */
    const char *text;
};

#endif
