#include "points.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

/* The words of the notation that make an access, and a label; PAUSE and WAKE have none. */
static const char pattern[] = "(^|[^A-Z_])(READ|READ_TARGET|WRITE|WRITE_LATE|CAS|UPDATE|ALIVE)"
                              "\\(([A-Z][0-9]+),";
static const char unlabelled[] = "^ +(PAUSE|WAKE)\\(";

unsigned points_find(const struct points *points, const char *name)
{
    unsigned i = 0;
    while (i < points->count && strcmp(points->name[i], name) != 0)
        i++;
    return i;
}

static bool add(struct points *points, const char *label, size_t length)
{
    char name[POINT_NAME];
    if (length + 2 > sizeof name || points->count + 2 > POINTS_MAX)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)length, label);
    if (points_find(points, name) < points->count)
        return true; /* two ways to make the same step */
    strcpy(points->name[points->count++], name);
    strcpy(points->name[points->count], name);
    strcat(points->name[points->count++], "+");
    return true;
}

static bool read_line(struct points *points, const regex_t *labelled, const regex_t *other,
                      const char *line)
{
    regmatch_t match[4];
    if (regexec(other, line, 4, match, 0) == 0)
        return add(points, line + match[1].rm_so, (size_t)(match[1].rm_eo - match[1].rm_so));
    bool good = true;
    for (; good && regexec(labelled, line, 4, match, 0) == 0; line += match[0].rm_eo)
        good = add(points, line + match[3].rm_so, (size_t)(match[3].rm_eo - match[3].rm_so));
    return good;
}

bool points_read(struct points *points, const char *source)
{
    regex_t labelled, other;
    char line[512];
    points->count = 0;
    FILE *file = fopen(source, "re");
    if (file == NULL)
        return false;
    if (regcomp(&labelled, pattern, REG_EXTENDED) != 0 ||
        regcomp(&other, unlabelled, REG_EXTENDED) != 0) {
        fclose(file);
        return false;
    }
    bool good = true;
    while (good && fgets(line, sizeof line, file) != NULL)
        good = read_line(points, &labelled, &other, line);
    fclose(file);
    regfree(&labelled);
    regfree(&other);
    return good && points->count > 0;
}
