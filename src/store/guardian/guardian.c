/*
 * berth-guardian: see store/etcd/guard.h. It is started by the library and speaks to it alone; it
 * needs only libc until there is something to do.
 */
#include "store/etcd/guard.h"

#include "os/cgroup.h"
#include "os/clock.h"
#include "os/family.h"
#include "store/guardian/loans.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

static struct guard_message charge;
static int ward = -1; /* a pidfd */
static pid_t holder;
static char mark[128];        /* empty: the holder is not `berth run` */
static char cgroup[PATH_MAX]; /* of the holder's command; empty: there is none */
static bool bye;

/* Detaches from the terminal and the directory, and closes the files that it inherited. */
static void withdraw(void)
{
    setsid();
    if (chdir("/") != 0)
        return;
    const int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && null >= 0; fd++)
        dup2(null, fd);
    close_range(GUARD_HOLDER + 1, ~0U, 0);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, NULL);
}

/* The number in the mark tells whether the mark is the holder's own, or inherited. */
static void take_mark(void)
{
    const char *value = secure_getenv(GUARD_MARK);
    const size_t length = value != NULL ? strcspn(value, " ") : 0; /* those around it come after */
    if (length == 0 || length > 64 || strtol(value, NULL, 10) != (long)holder)
        return;
    snprintf(mark, sizeof mark, "%s=%.*s", GUARD_MARK, (int)length, value);
    char name[128];
    snprintf(name, sizeof name, "/%s%.*s", GUARD_CGROUP_PREFIX, (int)length, value);
    const char *path = secure_getenv(GUARD_CGROUP);
    const size_t whole = path != NULL ? strlen(path) : 0;
    if (whole < sizeof cgroup && whole > strlen(name) &&
        strcmp(path + whole - strlen(name), name) == 0)
        memcpy(cgroup, path, whole + 1);
}

/* The number of the process behind a pidfd; 0: it has ended. */
static pid_t number_of(int pidfd)
{
    char path[64], line[128];
    int pid = 0;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", pidfd);
    FILE *info = fopen(path, "re");
    while (info != NULL && fgets(line, sizeof line, info) != NULL) {
        if (sscanf(line, "Pid: %d", &pid) == 1)
            break;
    }
    if (info != NULL)
        fclose(info);
    return pid > 0 ? (pid_t)pid : 0;
}

/* The descriptor that came with a message; -1: none did. */
static int descriptor_of(struct msghdr *all)
{
    int fd = -1;
    const struct cmsghdr *header = CMSG_FIRSTHDR(all);
    if (header != NULL && header->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(header), sizeof fd);
    return fd;
}

static void take_ward(int fd)
{
    if (ward >= 0)
        close(ward);
    ward = fd;
}

/* False: no more messages will come. */
static bool listen_once(void)
{
    static struct guard_message message;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec data = {&message, sizeof message};
    struct msghdr all = {.msg_iov = &data,
                         .msg_iovlen = 1,
                         .msg_control = control.room,
                         .msg_controllen = sizeof control.room};
    const ssize_t size = recvmsg(GUARD_CHANNEL, &all, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size < 0)
        return errno == EAGAIN || errno == EINTR;
    if ((size_t)size < offsetof(struct guard_message, store))
        return false;
    switch (message.word) {
    case GUARD_CHARGE:
        if (size == sizeof message)
            charge = message;
        break;
    case GUARD_LEASE:
        charge.lease = message.lease;
        charge.good_until = message.good_until;
        charge.ward_until = message.ward_until;
        break;
    case GUARD_WARD: take_ward(descriptor_of(&all)); break;
    case GUARD_LENT:
    case GUARD_BORROWED: loans_take(&message, descriptor_of(&all)); break;
    case GUARD_RETURNED: loans_drop(&message); break;
    case GUARD_BYE: bye = true; break;
    default: break;
    }
    return true;
}

static bool has_ended(int pidfd)
{
    struct pollfd one = {.fd = pidfd, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

/* The lease is over: whatever the ward does now is done without a slot. False: something of it
 * cannot be killed. */
static bool kill_ward(void)
{
    if (ward < 0)
        return true;
    const struct os_family family = {
        .of = {mark[0] != '\0' && !has_ended(GUARD_HOLDER) ? holder : 0},
        .of_is = GUARD_HOLDER,
        .with = number_of(ward),
        .with_is = ward,
        .mark = mark[0] != '\0' ? mark : NULL,
        .spare = GUARD_PROGRAM};
    struct os_family_result left;
    if (cgroup[0] != '\0')
        os_cgroup_kill(cgroup); /* it need not be all: some of them may have been moved out of it */
    const bool done = os_family_kill(&family, &left) == 0 && left.count == 0;
    close(ward);
    ward = -1;
    return done;
}

/* Until when the ward may work. */
static uint64_t ward_until(void)
{
    const uint64_t borrowed = loans_borrowed_until();
    return borrowed < charge.ward_until ? borrowed : charge.ward_until;
}

/* A timer that goes on while the machine is suspended. */
static void set_timer(int timer)
{
    const uint64_t now = os_now(STORE_CLOCK), until = ward_until();
    const uint64_t left = until > now + 1000 ? until - now : 1000;
    const struct itimerspec when = {.it_value =
                                        os_timespec(ward < 0 || until == UINT64_MAX ? 0 : left)};
    timerfd_settime(timer, 0, &when, NULL);
}

/* Until the holder has ended, or says that there is nothing left to do. */
static void watch(int timer)
{
    bool open = true;
    while (!bye && (open || !has_ended(GUARD_HOLDER))) {
        struct pollfd all[3] = {{.fd = GUARD_HOLDER, .events = POLLIN},
                                {.fd = open ? GUARD_CHANNEL : -1, .events = POLLIN},
                                {.fd = timer, .events = POLLIN}};
        set_timer(timer);
        if (poll(all, 3, -1) < 0 && errno != EINTR)
            return;
        /* What it said before it ended counts: read all of it first. */
        if (open && all[1].revents != 0) {
            open = listen_once();
            continue;
        }
        if (ward >= 0 && os_now(STORE_CLOCK) >= ward_until())
            kill_ward();
        if (all[0].revents != 0)
            return;
    }
}

/* Paths in the address are relative to the folder in which the pool was opened. */
static int end_lease(const struct store_operations *etcd, char reason[STORE_REASON])
{
    if (charge.folder[0] != '\0' && chdir(charge.folder) != 0)
        return errno;
    if (charge.password[0] != '\0' && setenv("BERTH_ETCD_PASSWORD", charge.password, 1) != 0)
        return errno;
    const int error = etcd->end_lease(charge.store, charge.name, charge.lease, reason);
    return chdir("/") == 0 ? error : errno;
}

int main(void)
{
    static char reason[STORE_REASON];
    holder = getppid();
    take_mark();
    withdraw();
    os_cgroup_leave(
        GUARD_CGROUP_PREFIX); /* those around the holder may be killed with all in them */
    const int timer = timerfd_create(STORE_CLOCK, TFD_CLOEXEC);
    watch(timer);
    const bool killed = bye || charge.lease == 0 || kill_ward();
    if (!bye && cgroup[0] != '\0')
        os_cgroup_remove(cgroup, GUARD_CGROUP_PREFIX);
    if (bye || charge.lease == 0)
        return 0;
    if (!killed)
        return 1; /* what works on does so as long as the lease lasts */
    loans_give_back();
    loans_wait(charge.good_until);
    const struct store_operations *etcd;
    int error = store_load_etcd(&etcd, reason);
    /* As long as the lease may be there: it ends by itself after that. */
    while (error == 0 && end_lease(etcd, reason) != 0 && os_now(STORE_CLOCK) < charge.good_until)
        sleep(1);
    return error != 0;
}
