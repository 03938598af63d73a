/*
 * For LD_PRELOAD, to have what a test cannot bring about: a machine that was suspended, and a
 * resolver that takes its time. CLOCK_BOOTTIME is ahead by as many seconds as the file
 * $SHIM_SUSPENDED says; to look up the host slow.invalid takes ten seconds, and to look up
 * busy.invalid takes two, in which the environment is read again and again, as resolvers do.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    const int result = real(clock, time);
    const char *path = getenv("SHIM_SUSPENDED");
    FILE *file = clock == CLOCK_BOOTTIME && path != NULL ? fopen(path, "re") : NULL;
    long seconds = 0;
    if (file != NULL && fscanf(file, "%ld", &seconds) == 1)
        time->tv_sec += seconds;
    if (file != NULL)
        fclose(file);
    return result;
}

__attribute__((visibility("default"))) int getaddrinfo(const char *node, const char *service,
                                                       const struct addrinfo *hints,
                                                       struct addrinfo **found)
{
    static int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    if (node != NULL && strcmp(node, "slow.invalid") == 0 &&
        (hints == NULL || (hints->ai_flags & AI_NUMERICHOST) == 0))
        sleep(10);
    struct timespec begin, now;
    if (node != NULL && strcmp(node, "busy.invalid") == 0 &&
        (hints == NULL || (hints->ai_flags & AI_NUMERICHOST) == 0)) {
        clock_gettime(CLOCK_MONOTONIC, &begin);
        do {
            for (int i = 0; i < 1000; i++)
                (void)!getenv("RES_OPTIONS");
            clock_gettime(CLOCK_MONOTONIC, &now);
        } while (now.tv_sec < begin.tv_sec + 2);
    }
    return real(node, service, hints, found);
}
