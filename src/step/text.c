#include "step/text.h"

#include <stdarg.h>
#include <stdio.h>

void step_text(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, size, format, arguments);
    va_end(arguments);
}
