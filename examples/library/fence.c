/*
 * The token as a fence. A process takes the slot, sends a write, and is killed. The write arrives
 * late, when another process has the slot and has written. The slot alone cannot prevent this. The
 * resource can: it remembers the largest token that it has seen, and refuses requests with a
 * smaller one.
 *
 *     cc fence.c $(pkg-config --cflags --libs berth) -o fence
 */
#include <berth.h>

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char name[] = "fence-example";

/* ---- the resource: it knows nothing of pools ---- */

struct request {
    uint64_t token;
    char text[32];
};

static struct {
    uint64_t largest;
    char text[32];
} disk;

static bool disk_write(const struct request *request)
{
    bool accepted = request->token >= disk.largest;
    if (accepted) {
        disk.largest = request->token;
        memcpy(disk.text, request->text, sizeof disk.text);
    }
    printf("%-10s with token %" PRIu64 ": %s\n", request->text, request->token,
           accepted ? "written" : "refused, it comes too late");
    return accepted;
}

/* ---- two processes that write to it ---- */

static struct request take_slot_and_write(berth_pool **pool, const char *text)
{
    berth_grant grant;
    struct request request = {0};
    int error = berth_open(pool, name, NULL);
    if (error == 0)
        error = berth_acquire(*pool, &grant);
    if (error != 0) {
        fprintf(stderr, "%s: %s\n", strerror(error), berth_reason());
        exit(1);
    }
    request.token = grant.token;
    strncpy(request.text, text, sizeof request.text - 1);
    return request;
}

/* A child that takes the slot, puts a write on the wire, and hangs. */
static pid_t start_child(int wire)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    berth_pool *pool;
    struct request request = take_slot_and_write(&pool, "the first");
    if (write(wire, &request, sizeof request) != sizeof request)
        _exit(1);
    for (;;)
        pause();
}

int main(void)
{
    int wire[2];
    struct request late, next;
    berth_pool *pool;
    if (pipe(wire) != 0)
        return 1;
    pid_t child = start_child(wire[1]);
    if (child < 0 || read(wire[0], &late, sizeof late) != sizeof late)
        return 1;
    kill(child, SIGKILL); /* the write is still on its way */
    waitpid(child, NULL, 0);

    next = take_slot_and_write(&pool, "the second");
    bool second = disk_write(&next);
    bool first = disk_write(&late);
    berth_close(pool);
    berth_remove(name, NULL);
    return second && !first && strcmp(disk.text, "the second") == 0 ? 0 : 1;
}
