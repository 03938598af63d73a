/* The real kernel's part of the comparison (kernel.h): actors are processes, which get their moves
 * through a pair of sockets each. */
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the director and the actors share. */
struct board {
    _Atomic(pid_t) pid;
    _Atomic(unsigned) sleeps; /* how often it was about to */
};

static struct board *board;
static int channel[KERNEL_ACTORS][2]; /* the director's end, and the actor's */
static unsigned heard_sleeps[KERNEL_ACTORS];
static char file[256];

static _Noreturn void give_up(const char *what)
{
    perror(what);
    exit(2);
}

/* ---- an actor ---- */

static void take(unsigned actor, struct kernel_move *move)
{
    while (recv(channel[actor][1], move, sizeof *move, 0) != sizeof *move) {
        if (errno != EINTR)
            _exit(0);
    }
}

static void answer(unsigned actor, const struct kernel_answer *answer)
{
    atomic_store(&board[actor].pid, getpid());
    if (send(channel[actor][1], answer, sizeof *answer, MSG_NOSIGNAL) != sizeof *answer)
        _exit(0);
}

static void sleeps(unsigned actor)
{
    atomic_fetch_add(&board[actor].sleeps, 1);
}

/* A child of the director, which can wait for its end. */
static int make_child(void)
{
    const long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, 0L);
    if (pid == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    return (int)pid;
}

static void handle(int signal)
{
    (void)signal;
}

/* ---- the director ---- */

static void give(const struct kernel_move *move)
{
    heard_sleeps[move->actor] = atomic_load(&board[move->actor].sleeps);
    if (send(channel[move->actor][0], move, sizeof *move, 0) != sizeof *move)
        give_up("send");
}

static bool has_answered(unsigned actor)
{
    struct pollfd polled = {.fd = channel[actor][0], .events = POLLIN};
    return poll(&polled, 1, 0) == 1;
}

/* It has said that it will sleep, and the kernel says that it does. */
static bool is_asleep(unsigned actor)
{
    char path[64], text[512] = "";
    if (atomic_load(&board[actor].sleeps) == heard_sleeps[actor])
        return false;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)atomic_load(&board[actor].pid));
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    const char *after_name = size <= 0 ? NULL : strrchr(text, ')');
    return after_name != NULL && strncmp(after_name, ") S", 3) == 0;
}

static bool hear(unsigned actor, bool must, struct kernel_answer *heard)
{
    const struct timespec pause = {.tv_nsec = 20 * 1000};
    while (!has_answered(actor)) {
        if (!must && is_asleep(actor))
            return has_answered(actor) ? hear(actor, true, heard) : false;
        nanosleep(&pause, NULL);
    }
    if (recv(channel[actor][0], heard, sizeof *heard, 0) != sizeof *heard)
        give_up("an actor has ended");
    return true;
}

/* Its descriptors are closed when its end is reported. */
static void kill_actor(unsigned actor)
{
    const pid_t pid = atomic_load(&board[actor].pid);
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) != pid) {
        if (errno != EINTR)
            give_up("waitpid");
    }
}

static void signal_actor(unsigned actor)
{
    kill(atomic_load(&board[actor].pid), SIGUSR1);
}

static const struct kernel_stage real_stage = {
    .file = file,
    .take = take,
    .answer = answer,
    .sleeps = sleeps,
    .open = open,
    .close = close,
    .fcntl = fcntl,
    .lseek = lseek,
    .mmap = mmap,
    .munmap = munmap,
    .madvise = madvise,
    .syscall = syscall,
    .fork = make_child,
    .give = give,
    .hear = hear,
    .has_answered = has_answered,
    .kill = kill_actor,
    .signal = signal_actor,
};

static void make_file(void)
{
    const char *folder = getenv("TMPDIR");
    snprintf(file, sizeof file, "%s/berth-kernel.XXXXXX", folder == NULL ? "/tmp" : folder);
    const int fd = mkstemp(file);
    if (fd < 0 || ftruncate(fd, 4096) != 0)
        give_up(file);
    close(fd);
}

void kernel_play_for_real(uint64_t seed, struct kernel_play *play)
{
    const struct sigaction action = {.sa_handler = handle};
    board = mmap(NULL, KERNEL_ACTORS * sizeof *board, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED)
        give_up("mmap");
    for (unsigned i = 0; i < KERNEL_ACTORS; i++) {
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel[i]) != 0)
            give_up("socketpair");
    }
    make_file();
    fflush(stdout);
    const pid_t pid = fork();
    if (pid < 0)
        give_up("fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigaction(SIGUSR1, &action, NULL); /* without SA_RESTART */
        kernel_act(&real_stage, 0);
    }
    atomic_store(&board[0].pid, pid);
    kernel_direct(&real_stage, seed, play);
    unlink(file);
    for (unsigned i = 0; i < KERNEL_ACTORS; i++) {
        close(channel[i][0]);
        close(channel[i][1]);
    }
    munmap((void *)board, KERNEL_ACTORS * sizeof *board);
}
