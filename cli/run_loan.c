/*
 * Nested runs: the command is told what it may lend, and a run inside it borrows that. What is told
 * is in BERTH_LOANS: a text of berth_lend for each slot of the runs around the command, the nearest
 * first.
 */
#include "run.h"

#include "os/environment.h"
#include "pool/heir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOANS "BERTH_LOANS"

bool run_loan_is_lent(const char *pool)
{
    const char *text = getenv(LOANS);
    const size_t length = strlen(pool);
    while (text != NULL && (strncmp(text, pool, length) != 0 || text[length] != '/')) {
        text = strchr(text, ' ');
        text += text != NULL ? 1 : 0;
    }
    return text != NULL;
}

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
    if (earlier != NULL)
        fprintf(out, " %s", earlier);
    int error = ferror(out) ? ENOMEM : 0;
    if (fclose(out) != 0)
        error = ENOMEM;
    if (error == 0 && size > 0)
        error = os_environment_set(LOANS, text + 1); /* it begins with a space */
    free(text);
    return error;
}

void run_loan_keep(const struct run_pools *pools, struct run_keep *keep)
{
    for (size_t i = 0; i < pools->count; i++) {
        const int heir = heir_fd(pools->pool[i].handle);
        keep->fd[keep->count++] = heir >= 0 ? heir : berth_fd(pools->pool[i].handle);
    }
}

unsigned run_loan_level(const struct run_pool *pool)
{
    unsigned level = 0;
    return berth_loan_level(pool->handle, &pool->grants[0], &level) == 0 ? level : 0;
}
