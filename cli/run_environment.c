#include "run.h"

#include "os/environment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void run_put_slots(FILE *out, const struct run_pool *pool)
{
    for (unsigned s = 0; s < pool->slots; s++)
        fprintf(out, "%s%u", s > 0 ? "," : "", pool->grants != NULL ? pool->grants[s].slot : 0);
}

static void put_tokens(FILE *out, const struct run_pool *pool)
{
    for (unsigned s = 0; s < pool->slots; s++)
        fprintf(out, "%s%" PRIu64, s > 0 ? "," : "",
                pool->grants != NULL ? pool->grants[s].token : 0);
}

static void put_of(FILE *out, const struct run_pool *pool)
{
    fprintf(out, "%u", pool->of);
}

static void put_name(FILE *out, const struct run_pool *pool)
{
    fputs(pool->name, out);
}

bool run_has_devices(const struct run_pool *pool)
{
    return pool->declared != NULL && pool->declared->devices > 0;
}

static bool holds(const struct run_pool *pool, size_t slot)
{
    for (unsigned s = 0; s < pool->slots && pool->grants != NULL; s++) {
        if (pool->grants[s].slot == slot)
            return true;
    }
    return false;
}

/* Each device once, though several slots may be on it, in the order of their declaration. */
static void put_devices(FILE *out, const struct run_pool *pool)
{
    const struct cli_declared *declared = pool->declared;
    const size_t devices = declared != NULL ? declared->devices : 0;
    bool first = true;
    for (size_t slot = 0; slot < devices; slot++) {
        bool wanted = holds(pool, slot);
        for (size_t before = 0; before < slot && wanted; before++)
            wanted = !holds(pool, before) ||
                     strcmp(declared->device[before], declared->device[slot]) != 0;
        if (wanted)
            fprintf(out, "%s%s", first ? "" : ",", declared->device[slot]);
        first = first && !wanted;
    }
    if (first)
        fputc('-', out);
}

static const struct {
    const char *word, *variable;
    void (*put)(FILE *out, const struct run_pool *pool);
} words[] = {
    {"pool", "BERTH_POOL", put_name},        {"slot", "BERTH_SLOT", run_put_slots},
    {"slots", "BERTH_SLOTS", put_of},        {"token", "BERTH_TOKEN", put_tokens},
    {"device", "BERTH_DEVICE", put_devices},
};
enum { WORDS = sizeof words / sizeof words[0], DEVICE = WORDS - 1 };

static const struct run_pool *find_pool(const struct run_pools *pools, const char *name,
                                        size_t length)
{
    for (size_t i = 0; i < pools->count; i++) {
        if (strlen(pools->pool[i].name) == length &&
            strncmp(pools->pool[i].name, name, length) == 0)
            return &pools->pool[i];
    }
    return NULL;
}

/* Writes what the word in braces at `text` stands for. Its length with the braces; 0: none. */
static size_t put_word(FILE *out, const char *text, const struct run_pools *pools)
{
    const char *word = text + 1, *end = strchr(text, '}');
    const struct run_pool *pool = &pools->pool[0];
    if (end == NULL)
        return 0;
    const char *dot = memrchr(word, '.', (size_t)(end - word));
    if (dot != NULL) {
        pool = find_pool(pools, word, (size_t)(dot - word));
        word = dot + 1;
    }
    for (unsigned w = 0; w < WORDS && pool != NULL; w++) {
        const bool can_be = w != DEVICE || pool->handle == NULL || run_has_devices(pool);
        if (can_be && strlen(words[w].word) == (size_t)(end - word) &&
            strncmp(words[w].word, word, (size_t)(end - word)) == 0) {
            words[w].put(out, pool);
            return (size_t)(end - text) + 1;
        }
    }
    return 0;
}

/* The text with its words in braces replaced; the caller frees it. NULL: EINVAL, or ENOMEM. */
static char *expand(const char *template, const struct run_pools *pools)
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
            length = put_word(out, template, pools);
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

bool run_assignable(const char *assignment, const struct run_pools *pools)
{
    /* No brace in the name, so that the whole can be expanded at once; a pool's name has no '='. */
    size_t name = strcspn(assignment, "={");
    if (name == 0 || assignment[name] != '=')
        return false;
    char *whole = expand(assignment, pools);
    free(whole);
    return whole != NULL;
}

static int keep(char *whole)
{
    return whole != NULL ? os_environment_put(whole) : errno; /* the environment has it now */
}

/* A word for each pool, in their order, with spaces between. */
static char *list(const char *variable, void (*put)(FILE *, const struct run_pool *),
                  const struct run_pools *pools)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    fprintf(out, "%s=", variable);
    for (size_t i = 0; i < pools->count; i++) {
        if (i > 0)
            fputc(' ', out);
        put(out, &pools->pool[i]);
    }
    const bool written = !ferror(out);
    if (fclose(out) == 0 && written)
        return text;
    free(text);
    errno = ENOMEM;
    return NULL;
}

int run_environment(const struct run_pools *pools, const char *const assignments[])
{
    /* It is internal to berth, and hidden from the command. */
    int error = os_environment_erase("BERTH_ETCD_PASSWORD");
    bool devices = false;
    for (size_t i = 0; i < pools->count; i++)
        devices = devices || run_has_devices(&pools->pool[i]);
    for (unsigned w = 0; w < WORDS && error == 0; w++) {
        if (w == DEVICE && !devices)
            error = os_environment_unset(words[w].variable); /* it would be another run's */
        else
            error = keep(list(words[w].variable, words[w].put, pools));
    }
    for (const char *const *one = assignments; one != NULL && *one != NULL && error == 0; one++)
        error = keep(expand(*one, pools));
    return error;
}
