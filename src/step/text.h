/* Naming values, for SHOW sections. */
#ifndef BERTH_STEP_TEXT_H
#define BERTH_STEP_TEXT_H

#include <stddef.h>

void step_text(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
