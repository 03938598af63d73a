/*
 * Nested runs: the command is told what it may lend, and a run inside it borrows that. What is told is in
 * BERTH_LOANS: a text of berth_lend for each slot of the runs around the command, the nearest first.
 */
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOANS "BERTH_LOANS"

int run_loan_acquire(struct run_pools *pools, const struct run_patience *patience, bool own)
{
    const char *loans = getenv(LOANS);
    if (loans == NULL || *loans == '\0')
        return run_pools_acquire(pools, patience);
    berth_want wants[BERTH_MAX_WANTS];
    run_pools_want(pools, wants);
    return berth_acquire_within(wants, pools->count, loans, patience->deadline,
                                (own ? BERTH_OWN : 0U) | (patience->none ? BERTH_TRY : 0U));
}

/* Whether an earlier text is of the same slot of the same grant as `text`: up to the slot, and from the
 * token on, they are the same. */
static bool is_same_slot(const char *earlier, size_t length, const char *text)
{
    const char *slot = strchr(text, '/');
    const char *level = slot != NULL ? strchr(slot + 1, '/') : NULL;
    const char *token = strrchr(text, '/');
    if (level == NULL)
        return false;
    const size_t head = (size_t)(level - text), tail = strlen(token);
    return length > head + tail && memcmp(earlier, text, head + 1) == 0 &&
           memcmp(earlier + length - tail, token, tail) == 0;
}

/* The earlier texts but those of slots that are lent on now. */
static void put_earlier(FILE *out, const char *earlier, const char *now)
{
    while (*earlier != '\0') {
        const size_t length = strcspn(earlier, " ");
        bool lent_on = false;
        for (const char *text = now; *text != '\0' && !lent_on;) {
            char one[BERTH_LOAN_MAX] = "";
            const size_t size = strcspn(text, " ");
            if (size < sizeof one)
                memcpy(one, text, size);
            lent_on = is_same_slot(earlier, length, one);
            text += size;
            text += strspn(text, " ");
        }
        if (!lent_on && length > 0)
            fprintf(out, " %.*s", (int)length, earlier);
        earlier += length;
        earlier += strspn(earlier, " ");
    }
}

static void put_now(FILE *out, const struct run_pools *pools)
{
    for (size_t i = 0; i < pools->count; i++) {
        for (unsigned s = 0; s < pools->pool[i].slots; s++) {
            char text[BERTH_LOAN_MAX];
            /* A slot that cannot be lent is no reason not to run. */
            if (berth_lend(pools->pool[i].handle, &pools->pool[i].grants[s], text) == 0)
                fprintf(out, "%s%s", *text != '\0' ? " " : "", text);
        }
    }
}

int run_loan_environment(const struct run_pools *pools)
{
    const char *earlier = getenv(LOANS);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return errno;
    put_now(out, pools);
    int error = fflush(out) == 0 ? 0 : ENOMEM;
    char *now = error == 0 ? strdup(text) : NULL;
    if (now != NULL && earlier != NULL)
        put_earlier(out, earlier, now);
    if (ferror(out) || now == NULL)
        error = ENOMEM;
    if (fclose(out) != 0)
        error = ENOMEM;
    if (error == 0 && size > 0 && setenv(LOANS, text + 1, 1) != 0) /* it begins with a space */
        error = errno;
    free(now);
    free(text);
    return error;
}

unsigned run_loan_level(const struct run_pool *pool)
{
    unsigned level = 0;
    return berth_loan_level(pool->handle, &pool->grants[0], &level) == 0 ? level : 0;
}
