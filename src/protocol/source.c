#include "protocol/source.h"

#include "protocol/own.h"

#include <stdbool.h>
#include <string.h>

/* Whether two paths are the same once each "folder/.." is taken out of the second, and the way up
 * to the source folder, which a compiler that was called below it may have put there. */
static bool same_path(const char *path, const char *long_way)
{
    while (strncmp(long_way, "../", 3) == 0)
        long_way += 3;
    for (const char *up; (up = strstr(long_way, "/../")) != NULL;)
        long_way = up + 4; /* nothing includes from the middle of its own path */
    return strcmp(path, long_way) == 0;
}

const struct text_file *protocol_source_find(const char *path)
{
    for (size_t f = 0; f < protocol_sources_count; f++) {
        if (same_path(protocol_sources[f].path, path))
            return &protocol_sources[f];
    }
    return protocol_own_source(path);
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
