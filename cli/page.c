/* The page as one file: the template, with style, script and data where it says so. */
#include "page.h"

#include <stdlib.h>
#include <string.h>

static const char *file_text(const char *name)
{
    for (size_t f = 0; f < page_files_count; f++) {
        const char *slash = strrchr(page_files[f].path, '/');
        if (strcmp(slash + 1, name) == 0)
            return page_files[f].text;
    }
    return "";
}

/* All files whose names end so, in the order of their names. */
static void put_files(FILE *stream, const char *end)
{
    for (size_t f = 0; f < page_files_count; f++) {
        const size_t length = strlen(page_files[f].path);
        if (length > strlen(end) && strcmp(page_files[f].path + length - strlen(end), end) == 0)
            fputs(page_files[f].text, stream);
    }
}

/* JSON inside of HTML: a "<" is in a string, and a string may say it otherwise. */
static void put_json(FILE *stream, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '<')
            fputs("\\u003c", stream);
        else
            fputc(*c, stream);
    }
}

static void put_escaped(FILE *stream, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (strchr("<>&\"'", *c) != NULL)
            fprintf(stream, "&#%d;", *c);
        else
            fputc(*c, stream);
    }
}

bool cli_page_write(FILE *stream, json_t *data)
{
    char *text = json_dumps(data, JSON_COMPACT);
    if (text == NULL) {
        json_decref(data);
        return false;
    }
    const char *at = file_text("page.html");
    for (const char *mark; (mark = strstr(at, "{{")) != NULL;) {
        fwrite(at, 1, (size_t)(mark - at), stream);
        at = strstr(mark, "}}");
        at = at == NULL ? mark + strlen(mark) : at + 2;
        if (strncmp(mark, "{{title}}", 9) == 0)
            put_escaped(stream, json_string_value(json_object_get(data, "protocol")));
        else if (strncmp(mark, "{{style}}", 9) == 0)
            put_files(stream, ".css");
        else if (strncmp(mark, "{{script}}", 10) == 0)
            put_files(stream, ".js");
        else if (strncmp(mark, "{{data}}", 8) == 0)
            put_json(stream, text);
    }
    fputs(at, stream);
    free(text);
    json_decref(data);
    return true; /* whether it could be written is found out when the file is finished */
}
