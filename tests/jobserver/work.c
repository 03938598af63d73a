/*
 * work FOLDER LIMIT MILLISECONDS [NAME]: a job of a build, which counts how many of its kind there
 * are.
 *
 * Each takes the first of the locks FOLDER/place.0, place.1, ... that is free, one after the other
 * behind FOLDER/door. The kernel drops a lock when its owner is gone, killed or not. So a job that
 * gets place LIMIT or a later one has LIMIT others beside it: that goes to FOLDER/over. FOLDER/log
 * has a line for each job: its name, its place, and when it began and ended, in milliseconds.
 *
 * Where FOLDER/meet has a number, no job ends before this many have been there at once, or five
 * seconds are over: that they were is then not a matter of how busy the machine is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { PLACES = 256, FAILED = 99 };

static int open_in(const char *folder, const char *name, int flags)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC | flags, 0666);
    if (fd >= 0)
        return fd;
    fprintf(stderr, "work: %s: %s\n", path, strerror(errno));
    exit(FAILED);
}

static int take_place(const char *folder)
{
    for (int place = 0; place < PLACES; place++) {
        char name[32];
        snprintf(name, sizeof name, "place.%d", place);
        const int fd = open_in(folder, name, 0);
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return place; /* it stays open */
        close(fd);
    }
    exit(FAILED);
}

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void note(const char *folder, const char *file, const char *line)
{
    const int fd = open_in(folder, file, O_APPEND);
    if (write(fd, line, strlen(line)) < 0)
        exit(FAILED);
    close(fd);
}

/* A place is looked at only when all before it are taken. */
static bool have_met(const char *folder, int number)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/place.%d", folder, number - 1);
    return access(path, F_OK) == 0;
}

static void meet(const char *folder)
{
    char path[4096];
    int number = 0;
    snprintf(path, sizeof path, "%s/meet", folder);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return;
    if (fscanf(file, "%d", &number) != 1)
        exit(FAILED);
    fclose(file);
    for (const long long end = now() + 5000; !have_met(folder, number) && now() < end;)
        usleep(1000);
}

int main(int argc, char **argv)
{
    char line[256];
    if (argc < 4) {
        fprintf(stderr, "usage: work FOLDER LIMIT MILLISECONDS [NAME]\n");
        return 2;
    }
    const char *folder = argv[1], *name = argc > 4 ? argv[4] : "-";
    const int limit = atoi(argv[2]), milliseconds = atoi(argv[3]);
    const int door = open_in(folder, "door", 0);
    if (flock(door, LOCK_EX) != 0)
        return FAILED;
    const long long begun = now();
    const int place = take_place(folder);
    close(door);
    snprintf(line, sizeof line, "%s %d %lld\n", name, place, begun);
    if (place >= limit)
        note(folder, "over", line);
    note(folder, "begun", line);
    usleep((useconds_t)milliseconds * 1000);
    meet(folder);
    snprintf(line, sizeof line, "%s %d %lld %lld\n", name, place, begun, now());
    note(folder, "log", line);
    return 0;
}
