/* A table from a file. */
#include "refute/table.h"

#include <stdio.h>
#include <stdlib.h>

bool table_load(struct table *table, const char *path, char *error, size_t error_size)
{
    *table = (struct table){.slots = 1};
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        snprintf(error, error_size, "cannot read %s: %m", path);
        return false;
    }
    char *text = malloc(TABLE_MAX_BYTES + 1);
    const size_t size = text != NULL ? fread(text, 1, TABLE_MAX_BYTES + 1, file) : 0;
    bool read = false;
    if (text == NULL)
        snprintf(error, error_size, "%s: out of memory", path);
    else if (ferror(file))
        snprintf(error, error_size, "cannot read %s: %m", path);
    else if (size > TABLE_MAX_BYTES)
        snprintf(error, error_size, "%s: more than %d bytes", path, (int)TABLE_MAX_BYTES);
    else
        read = table_parse(table, path, text, size, error, error_size);
    free(text);
    fclose(file);
    return read;
}
