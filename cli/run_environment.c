#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes what the word in braces at `text` stands for. Its length with the braces; 0: none. */
static size_t put_word(FILE *out, const char *text, const struct run_slot *slot)
{
    const char *end = strchr(text, '}');
    size_t length = end != NULL ? (size_t)(end - text) + 1 : 0;
    if (length == strlen("{slot}") && strncmp(text, "{slot}", length) == 0)
        fprintf(out, "%u", slot->slot);
    else if (length == strlen("{slots}") && strncmp(text, "{slots}", length) == 0)
        fprintf(out, "%u", slot->slots);
    else if (length == strlen("{token}") && strncmp(text, "{token}", length) == 0)
        fprintf(out, "%" PRIu64, slot->token);
    else if (length == strlen("{pool}") && strncmp(text, "{pool}", length) == 0)
        fputs(slot->pool, out);
    else
        return 0;
    return length;
}

/* The text with its words in braces replaced; to be freed. NULL: EINVAL, or ENOMEM. */
static char *expand(const char *template, const struct run_slot *slot)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool understood = true;
    if (out == NULL)
        return NULL;
    while (*template != '\0' && understood) {
        size_t length = 1;
        if (strncmp(template, "{{", 2) == 0) {
            fputc('{', out);
            length = 2;
        } else if (*template == '{') {
            length = put_word(out, template, slot);
            understood = length > 0;
        } else {
            fputc(*template, out);
        }
        template += length;
    }
    bool written = !ferror(out);
    if (fclose(out) != 0 || !written || !understood) {
        free(text);
        errno = understood ? ENOMEM : EINVAL;
        return NULL;
    }
    return text;
}

bool run_assignable(const char *assignment)
{
    /* No brace in the name, so that the whole can be expanded at once; a pool's name has no '='. */
    size_t name = strcspn(assignment, "={");
    if (name == 0 || assignment[name] != '=')
        return false;
    char *whole = expand(assignment, &(struct run_slot){.pool = ""});
    free(whole);
    return whole != NULL;
}

static int assign(const char *assignment, const struct run_slot *slot)
{
    char *whole = expand(assignment, slot);
    return whole != NULL && putenv(whole) == 0 ? 0 : errno; /* the environment keeps it */
}

int run_environment(const struct run_slot *slot, const char *const assignments[])
{
    static const char *const own[] = {"BERTH_POOL={pool}", "BERTH_SLOT={slot}",
                                      "BERTH_SLOTS={slots}", "BERTH_TOKEN={token}", NULL};
    int error = 0;
    for (const char *const *one = own; *one != NULL && error == 0; one++)
        error = assign(*one, slot);
    for (const char *const *one = assignments; one != NULL && *one != NULL && error == 0; one++)
        error = assign(*one, slot);
    return error;
}
