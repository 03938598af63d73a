/*
 * berth-guardian: see store/etcd/guard.h. It is started by the library and speaks to it alone; it
 * needs libc and nothing else until there is something to do.
 */
#include "store/etcd/guard.h"

#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct guard_message charge;
static int ward = -1;
static bool bye;

/* It belongs to no terminal, stands in no directory, and keeps nobody's files open. */
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

static void take_ward(struct msghdr *all)
{
    if (ward >= 0)
        close(ward);
    ward = -1;
    const struct cmsghdr *header = CMSG_FIRSTHDR(all);
    if (header != NULL && header->cmsg_type == SCM_RIGHTS)
        memcpy(&ward, CMSG_DATA(header), sizeof ward);
}

/* False: nobody will say anything any more. */
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
        break;
    case GUARD_WARD: take_ward(&all); break;
    case GUARD_BYE: bye = true; break;
    default: break;
    }
    return true;
}

/* The lease is over: whatever the ward does now is done without a slot. */
static void kill_ward(void)
{
    if (ward < 0)
        return;
    syscall(SYS_pidfd_send_signal, ward, SIGKILL, NULL, 0);
    close(ward);
    ward = -1;
}

static bool has_ended(int pidfd)
{
    struct pollfd one = {.fd = pidfd, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

/* Until the holder has ended, or says that there is nothing left to do. */
static void watch(void)
{
    bool open = true;
    while (!bye && (open || !has_ended(GUARD_HOLDER))) {
        struct pollfd both[2] = {{.fd = GUARD_HOLDER, .events = POLLIN},
                                 {.fd = open ? GUARD_CHANNEL : -1, .events = POLLIN}};
        const uint64_t now = os_now(STORE_CLOCK);
        const bool due = ward >= 0 && now >= charge.good_until;
        const struct timespec wait = os_timespec(due ? 0 : charge.good_until - now);
        if (ppoll(both, 2, ward >= 0 ? &wait : NULL, NULL) < 0 && errno != EINTR)
            return;
        /* What it said before it ended counts: read all of it first. */
        if (open && both[1].revents != 0) {
            open = listen_once();
            continue;
        }
        if (ward >= 0 && os_now(STORE_CLOCK) >= charge.good_until)
            kill_ward();
        if (both[0].revents != 0)
            return;
    }
}

int main(void)
{
    withdraw();
    watch();
    if (bye || charge.lease == 0)
        return 0;
    kill_ward();
    static char reason[STORE_REASON];
    const struct store_operations *etcd;
    int error = store_load_etcd(&etcd, reason);
    /* As long as the lease may be there: it ends by itself after that. */
    while (error == 0 && etcd->bury(charge.store, charge.name, charge.lease, reason) != 0 &&
           os_now(STORE_CLOCK) < charge.good_until)
        sleep(1);
    return error != 0;
}
