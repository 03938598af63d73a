/* Runs the subjects in turn, many rounds, and prints the medians: see the file run. */
#include "ticket.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SUBJECTS = 3, THREADS = 2, MOST_ROUNDS = 10000 };

/* The first is what the others are compared with. */
static const struct subject *const subjects[SUBJECTS] = {&ticket_hand, &ticket_step, &ticket_add};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench/ticket: %s\n", what);
    exit(2);
}

struct part {
    const struct subject *subject;
    pthread_barrier_t *start;
    volatile uint64_t *counter;
    uint64_t pairs;
};

static void *take_part(void *argument)
{
    const struct part *part = argument;
    pthread_barrier_wait(part->start);
    part->subject->run(part->counter, part->pairs);
    return NULL;
}

/* Nanoseconds per pair, all threads together. */
static double measure(const struct subject *subject, unsigned threads, uint64_t pairs)
{
    static _Alignas(64) volatile uint64_t counter;
    counter = 0;
    double start;
    if (threads == 1) {
        start = now();
        subject->run(&counter, pairs);
    } else {
        pthread_barrier_t barrier;
        pthread_t thread[THREADS];
        struct part part = {subject, &barrier, &counter, pairs / threads};
        pairs = part.pairs * threads;
        if (pthread_barrier_init(&barrier, NULL, threads + 1) != 0)
            fail("no barrier");
        for (unsigned t = 0; t < threads; t++) {
            if (pthread_create(&thread[t], NULL, take_part, &part) != 0)
                fail("no thread");
        }
        start = now();
        pthread_barrier_wait(&barrier);
        for (unsigned t = 0; t < threads; t++)
            pthread_join(thread[t], NULL);
        pthread_barrier_destroy(&barrier);
    }
    double taken = now() - start;
    if (counter != pairs)
        fail("a lock let two threads in at once");
    return taken / (double)pairs;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double median(double *number, unsigned count)
{
    qsort(number, count, sizeof *number, compare);
    return count % 2 == 1 ? number[count / 2] : (number[count / 2 - 1] + number[count / 2]) / 2;
}

struct outcome {
    double ns, ratio;
};

static void measure_all(struct outcome *outcome, unsigned threads, unsigned rounds, uint64_t pairs)
{
    static double ns[SUBJECTS][MOST_ROUNDS], ratio[SUBJECTS][MOST_ROUNDS];
    for (unsigned s = 0; s < SUBJECTS; s++)
        measure(subjects[s], threads, pairs); /* to warm up */
    for (unsigned r = 0; r < rounds; r++) {
        for (unsigned i = 0; i < SUBJECTS; i++) { /* each is the first, the second, ... in turn */
            unsigned s = (r + (r / SUBJECTS % 2 == 0 ? i : SUBJECTS - i)) % SUBJECTS;
            ns[s][r] = measure(subjects[s], threads, pairs);
        }
        for (unsigned s = 0; s < SUBJECTS; s++)
            ratio[s][r] = ns[s][r] / ns[0][r];
    }
    for (unsigned s = 0; s < SUBJECTS; s++)
        outcome[s] = (struct outcome){median(ns[s], rounds), median(ratio[s], rounds)};
}

static void print(const struct outcome *outcome, unsigned threads, bool json)
{
    for (unsigned s = 0; s < SUBJECTS; s++) {
        if (json)
            printf(
                "%s\n  {\"case\": \"ticket\", \"subject\": \"%s\", \"processes\": %u, \"slots\": 1, "
                "\"ns_per_pair\": %.3f, \"ratio\": %.4f}",
                threads == 1 && s == 0 ? "" : ",", subjects[s]->name, threads, outcome[s].ns,
                outcome[s].ratio);
        else
            printf("%-14s %7u %12.2f %9.3f\n", subjects[s]->name, threads, outcome[s].ns,
                   outcome[s].ratio);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4)
        fail("usage: measure ROUNDS PAIRS text|json");
    unsigned rounds = (unsigned)strtoul(argv[1], NULL, 10);
    uint64_t pairs = strtoull(argv[2], NULL, 10);
    bool json = strcmp(argv[3], "json") == 0;
    if (rounds < 1 || rounds > MOST_ROUNDS || pairs < 2)
        fail("rounds from 1 to 10000, pairs from 2");
    struct outcome alone[SUBJECTS], together[SUBJECTS];
    measure_all(alone, 1, rounds, pairs);
    measure_all(together, THREADS, rounds / 10 + 1, 10 * pairs);
    if (json)
        printf("{\"version\": 1, \"rounds\": %u, \"pairs\": %llu, \"bench\": [", rounds,
               (unsigned long long)pairs);
    else
        printf("%-14s %7s %12s %9s\n", "subject", "threads", "ns per pair", "ratio");
    print(alone, 1, json);
    print(together, THREADS, json);
    if (json)
        printf("\n], \"ratio\": %.4f}\n", alone[1].ratio);
    else
        printf("notation / hand, uncontended: %.3f\n", alone[1].ratio);
    return fflush(stdout) == 0 ? 0 : 2;
}
