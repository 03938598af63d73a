/*
 * berth-etcd-handle STORE POOL [SLOTS]: one handle, and what to do with it on standard input, a
 * word a line: try, acquire, until (a second from now), within TEXT (without waiting), release,
 * good, lend, lost. After each there is a line: "ok" with slot and token, with the milliseconds
 * that are left, with the text of a loan, or with whether berth_lost_fd is readable; or "error",
 * its number and the reason. The handle stays open until the end of the input.
 */
#include <berth.h>

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int acquire(berth_pool *pool, const char *word, berth_grant *grant)
{
    struct timespec deadline;
    if (strcmp(word, "try") == 0)
        return berth_try_acquire(pool, grant);
    if (strcmp(word, "acquire") == 0)
        return berth_acquire(pool, grant);
    if (strncmp(word, "within ", 7) == 0)
        return berth_acquire_within(&(berth_want){.pool = pool, .slots = 1, .grants = grant}, 1,
                                    word + 7, NULL, BERTH_TRY);
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec++;
    return berth_acquire_until(pool, grant, &deadline);
}

static void act(berth_pool *pool, const char *word, berth_grant *grant)
{
    struct timespec left;
    char text[BERTH_LOAN_MAX];
    int error = 0;
    if (strcmp(word, "release") == 0) {
        error = berth_release(pool, grant);
        if (error == 0)
            printf("ok\n");
    } else if (strcmp(word, "good") == 0) {
        error = berth_good_for(pool, grant, &left);
        if (error == 0)
            printf("ok %lld\n", (long long)left.tv_sec * 1000 + left.tv_nsec / 1000000);
    } else if (strcmp(word, "lend") == 0) {
        error = berth_lend(pool, grant, text);
        if (error == 0)
            printf("ok %s\n", text);
    } else if (strcmp(word, "lost") == 0) {
        struct pollfd lost = {.fd = berth_lost_fd(pool), .events = POLLIN};
        printf("ok %d\n", poll(&lost, 1, 0));
    } else {
        error = acquire(pool, word, grant);
        if (error == 0)
            printf("ok %u %" PRIu64 "\n", grant->slot, grant->token);
    }
    if (error != 0)
        printf("error %d %s\n", error, berth_reason());
    fflush(stdout);
}

int main(int argc, char **argv)
{
    berth_pool *pool;
    berth_grant grant = {0};
    char line[512];
    if (argc != 3 && argc != 4)
        return 2;
    const berth_options options = {.store = argv[1],
                                   .slots = argc > 3 ? (unsigned)atoi(argv[3]) : 0};
    if (berth_open(&pool, argv[2], &options) != 0) {
        fprintf(stderr, "%s\n", berth_reason());
        return 1;
    }
    printf("open\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        act(pool, line, &grant);
    }
    return berth_close(pool) != 0;
}
