#include "store/etcd/guard.h"

#include "os/clock.h"
#include "os/places.h"
#include "store/etcd/address.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char program[] = GUARD_PROGRAM;
/* An address in the file of this library, or of the program that it is linked into. */
static const char here = '\0';

/* As seen from the library or program that this code is in. */
static bool find(char path[PATH_MAX])
{
    char self[PATH_MAX];
    snprintf(path, PATH_MAX, "%s", program);
    return os_places_of(&here, self) && os_places_find(self, OS_PLACE_PROGRAMS, program, path);
}

/* High enough not to clash with the guardian's descriptors or a standard stream. */
static int move_up(int fd)
{
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 16);
    const int error = errno;
    close(fd);
    errno = error;
    return moved;
}

/* Gives the environment without the password, which the guardian gets by the channel: what is in a
 * process's first environment can be read in /proc by whatever runs in the slot. To be freed; NULL:
 * there is no memory. */
static char **without_password(void)
{
    size_t count = 0, kept = 0;
    while (environ[count] != NULL)
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count && environ[i] != NULL; i++) {
        if (strncmp(environ[i], ADDRESS_PASSWORD "=", sizeof ADDRESS_PASSWORD) != 0)
            copy[kept++] = environ[i];
    }
    return copy;
}

/* Starts the guardian with the two descriptors under the numbers that it expects, and no signal
 * blocked. 0 or an errno value. */
static int spawn_with(const char *path, int channel, int holder, int *pid)
{
    char *argv[] = {(char *)program, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    char **environment = without_password();
    int error = environment != NULL ? posix_spawn_file_actions_init(&actions) : ENOMEM;
    if (error != 0) {
        free(environment);
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, channel, GUARD_CHANNEL);
        if (error == 0)
            error = posix_spawn_file_actions_adddup2(&actions, holder, GUARD_HOLDER);
        if (error == 0)
            error = posix_spawnattr_setsigmask(&attributes, &none);
        if (error == 0)
            error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        if (error == 0)
            error = posix_spawn(pid, path, &actions, &attributes, argv, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return error;
}

/* It is an ordinary child. An orphan would have to be reaped by process 1, which in many containers
 * reaps nothing. */
static int spawn(const char *path, int channel, int *pid)
{
    int holder = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (holder < 0 || (holder = move_up(holder)) < 0)
        return errno;
    const int error = spawn_with(path, channel, holder, pid);
    close(holder);
    return error;
}

int guard_start(struct guard *guard, const struct guard_message *charge, char reason[STORE_REASON])
{
    char path[PATH_MAX];
    int ends[2];
    *guard = (struct guard){.channel = -1};
    if (!find(path)) {
        snprintf(reason, STORE_REASON, "the etcd store is not installed: %.500s is missing", path);
        return ENOSYS;
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        snprintf(reason, STORE_REASON, "cannot speak to a guardian: %s", strerror(errno));
        return errno;
    }
    const int other = move_up(ends[1]);
    const int error = other >= 0 ? spawn(path, other, &guard->pid) : errno;
    if (other >= 0)
        close(other);
    if (error != 0) {
        close(ends[0]);
        snprintf(reason, STORE_REASON, "cannot start %.500s: %s", path, strerror(error));
        return error;
    }
    guard->channel = ends[0];
    send(guard->channel, charge, sizeof *charge, MSG_NOSIGNAL);
    return 0;
}

/* What has no room any more is lost, and is not waited for: a guardian that has been stopped for so
 * long would act on what it heard last. Another one takes its place, which is told everything. It
 * has its end of the channel, so that the number is still its own. 0 or an errno value. */
static int told(const struct guard *guard, ssize_t sent)
{
    if (sent >= 0)
        return 0;
    if (errno != EAGAIN)
        return errno;
    kill(guard->pid, SIGKILL);
    return EPIPE;
}

void guard_lease(struct guard *guard, int64_t lease, uint64_t good_until, uint64_t ward_until)
{
    const struct guard_message message = {
        .word = GUARD_LEASE, .lease = lease, .good_until = good_until, .ward_until = ward_until};
    guard->lease = lease;
    guard->good_until = good_until;
    guard->ward_until = ward_until;
    if (guard->channel >= 0)
        told(guard, send(guard->channel, &message, offsetof(struct guard_message, store),
                         MSG_NOSIGNAL | MSG_DONTWAIT));
}

/* With a descriptor; -1: none. */
static int send_with(const struct guard *guard, struct guard_message *message, int fd)
{
    struct iovec data = {message, offsetof(struct guard_message, store)};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr all = {.msg_iov = &data, .msg_iovlen = 1};
    if (fd >= 0) {
        all.msg_control = control.room;
        all.msg_controllen = sizeof control.room;
        control.header = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    }
    return told(guard, sendmsg(guard->channel, &all, MSG_NOSIGNAL | MSG_DONTWAIT));
}

/* `ward` is a pidfd; -1: none. */
static int send_ward(const struct guard *guard, int ward)
{
    struct guard_message message = {.word = GUARD_WARD};
    return send_with(guard, &message, ward);
}

/* ---- loans ---- */

/* A lender's locks are its own: the guardian gets another open file of the same file. */
static int open_again(int fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDWR | O_CLOEXEC);
}

static void send_loan(const struct guard *guard, const struct guard_loan *loan)
{
    struct guard_message message = {.word = loan->word, .slot = loan->slot, .token = loan->token};
    if (guard->channel < 0)
        return;
    if (loan->word == GUARD_BORROWED) {
        send_with(guard, &message, loan->fd);
        return;
    }
    const int fd = open_again(loan->fd);
    if (fd < 0)
        return; /* without /proc no borrower finds the file either */
    send_with(guard, &message, fd);
    close(fd);
}

int guard_loan(struct guard *guard, enum guard_word word, unsigned slot, uint64_t token, int fd)
{
    struct guard_loan *loan = malloc(sizeof *loan);
    if (loan == NULL)
        return ENOMEM;
    *loan = (struct guard_loan){guard->loans, word, slot, token, fd};
    guard->loans = loan;
    send_loan(guard, loan);
    return 0;
}

void guard_returned(struct guard *guard, unsigned slot, uint64_t token)
{
    struct guard_message message = {.word = GUARD_RETURNED, .slot = slot, .token = token};
    struct guard_loan **at = &guard->loans, *found;
    while (*at != NULL && ((*at)->slot != slot || (*at)->token != token))
        at = &(*at)->next;
    found = *at;
    if (found == NULL)
        return;
    *at = found->next;
    free(found);
    if (guard->channel >= 0)
        send_with(guard, &message, -1);
}

/* ---- the ward ---- */

/* A process that is about to become the command may call this for itself, in memory that it shares
 * with the holder (vfork), but with its own descriptors: so it must leave no trace in that
 * memory. */
int guard_ward(struct guard *guard, int pid)
{
    if (guard->channel < 0)
        return ENOTCONN;
    const int ward = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (pid > 0 && ward < 0)
        return errno;
    const int error = send_ward(guard, ward);
    if (pid == getpid()) {
        close(ward);
        return error;
    }
    if (guard->ward > 0)
        close(guard->ward);
    guard->ward = ward > 0 ? ward : 0;
    return error == EPIPE ? 0 : error; /* the one that comes next is told */
}

static const uint64_t again_after = 200 * (uint64_t)OS_MILLISECOND;

void guard_again(struct guard *guard, const struct guard_message *charge, pthread_mutex_t *mutex)
{
    char reason[STORE_REASON];
    struct guard next;
    const uint64_t now = os_now(STORE_CLOCK);
    pthread_mutex_lock(mutex);
    const bool bye = guard->bye;
    pthread_mutex_unlock(mutex);
    if (bye)
        return; /* it ends normally, and is no longer watched */
    while (waitpid(guard->pid, NULL, WNOHANG) < 0 && errno == EINTR)
        ;
    if (now < guard->again_at || guard_start(&next, charge, reason) != 0) {
        const struct timespec pause = os_timespec(again_after);
        nanosleep(&pause, NULL); /* it was killed again and again, or cannot be started */
        return;
    }
    pthread_mutex_lock(mutex);
    guard->again_at = now + again_after;
    guard->pid = next.pid;
    if (dup3(next.channel, guard->channel, O_CLOEXEC) >= 0 && guard->lease != 0) {
        guard_lease(guard, guard->lease, guard->good_until, guard->ward_until);
        for (const struct guard_loan *loan = guard->loans; loan != NULL; loan = loan->next)
            send_loan(guard, loan);
        if (guard->ward > 0)
            send_ward(guard, guard->ward);
    }
    pthread_mutex_unlock(mutex);
    close(next.channel);
}

void guard_bye(struct guard *guard)
{
    const struct guard_message message = {.word = GUARD_BYE};
    if (guard->channel >= 0 && !guard->bye)
        told(guard, send(guard->channel, &message, offsetof(struct guard_message, store),
                         MSG_NOSIGNAL | MSG_DONTWAIT));
    guard->bye = true;
}

void guard_end(struct guard *guard, bool nothing_left)
{
    if (guard->channel < 0)
        return;
    if (nothing_left)
        guard_bye(guard);
    close(guard->channel);
    guard->channel = -1;
    while (guard->loans != NULL) {
        struct guard_loan *next = guard->loans->next;
        free(guard->loans);
        guard->loans = next;
    }
    if (guard->ward > 0)
        close(guard->ward);
    if (nothing_left)
        kill(guard->pid, SIGCONT); /* it may have been stopped */
    /* If it still has work to do, it goes on for a while, and process 1 reaps it. */
    while (waitpid(guard->pid, NULL, nothing_left ? 0 : WNOHANG) < 0 && errno == EINTR)
        ;
}
