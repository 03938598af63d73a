/*
 * Slots of two pools at once. Two processes need both, and name them in opposite orders. If each
 * took one slot after the other, it would soon have what the other one waits for.
 *
 *     cc several.c $(pkg-config --cflags --libs berth) -o several
 */
#include <berth.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 1000 };

static berth_pool *open_pool(const char *name, unsigned slots)
{
    berth_pool *pool;
    int error = berth_open(&pool, name, &(berth_options){.slots = slots});
    if (error != 0) {
        fprintf(stderr, "%s: %s\n", strerror(error), berth_reason());
        exit(1);
    }
    return pool;
}

static int work(int opposite)
{
    berth_pool *printers = open_pool("printer-example", 1), *trays = open_pool("tray-example", 2);
    berth_grant printer, tray[2];
    berth_want wants[2] = {{printers, 1, &printer}, {trays, 2, tray}};
    if (opposite)
        wants[0] = (berth_want){trays, 2, tray}, wants[1] = (berth_want){printers, 1, &printer};
    int error = 0;
    for (int round = 0; round < ROUNDS && error == 0; round++) {
        error = berth_acquire_all(wants, 2);
        if (error == 0)
            error = berth_release_all(wants, 2);
    }
    if (error != 0)
        fprintf(stderr, "%s: %s\n", strerror(error), berth_reason());
    berth_close(printers);
    berth_close(trays);
    return error != 0;
}

int main(void)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0)
        _exit(work(1));
    const int failed = child < 0 || work(0) != 0;
    if (waitpid(child, &status, 0) != child || status != 0 || failed)
        return 1;
    printf("both have printed %d times\n", ROUNDS);
    berth_remove("printer-example", NULL);
    berth_remove("tray-example", NULL);
    return 0;
}
