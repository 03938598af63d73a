#include "protocol/source.h"

#include <stdbool.h>
#include <string.h>

const struct text_file *protocol_source_find(const char *path)
{
    for (size_t f = 0; f < protocol_sources_count; f++) {
        if (strcmp(protocol_sources[f].path, path) == 0)
            return &protocol_sources[f];
    }
    return NULL;
}

/* Whether the line that starts here has "(label," or "(label)". */
static bool has_label(const char *line, const char *label)
{
    const size_t length = strlen(label);
    for (const char *c = line; *c != '\0' && *c != '\n'; c++) {
        if (*c == '(' && strncmp(c + 1, label, length) == 0 &&
            (c[1 + length] == ',' || c[1 + length] == ')'))
            return true;
    }
    return false;
}

unsigned protocol_source_line(const struct text_file *source, unsigned line, const char *label)
{
    const char *at = source->text;
    unsigned found = line;
    for (unsigned number = 1; number <= line; number++) {
        if (has_label(at, label))
            found = number;
        at = strchr(at, '\n');
        if (at == NULL)
            break;
        at++;
    }
    return found;
}
