/*
 * Slots that are lent to other processes of this machine. The locks that say who works in the slot
 * are pool/loan.c's; here is the file that they are in, one for each grant that is lent, in memory
 * alone. Its page tells borrowers until when the slot can be relied on: the lender's lease is
 * theirs too, and they count it by the same clock. If the lender dies, its guardian deals with the
 * loan.
 */
#include "store/etcd/session.h"

#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const uint64_t look_after = 50 * (uint64_t)OS_MILLISECOND;

/* ---- lent ---- */

static int map_page(int fd, bool own, struct chain_page **page)
{
    void *map =
        mmap(NULL, CHAIN_PAGE_SIZE, own ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
    *page = map != MAP_FAILED ? map : NULL;
    return *page != NULL ? 0 : ENOMEM;
}

static int make_file(struct chain_page **page, int *fd)
{
    *fd = memfd_create("berth-loan", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*fd < 0)
        return errno;
    int error = 0;
    if (ftruncate(*fd, CHAIN_PAGE_SIZE) != 0 ||
        fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        error = errno;
    if (error == 0)
        error = map_page(*fd, true, page);
    if (error != 0)
        close(*fd);
    return error;
}

static int cannot(int error, unsigned slot, const char *what, char reason[STORE_REASON])
{
    snprintf(reason, STORE_REASON, "slot %u cannot be %s: %s", slot, what, strerror(error));
    return error;
}

static void fill_page(const struct session *session, const struct session_grant *grant)
{
    struct chain_page *page = grant->page;
    page->magic = CHAIN_MAGIC;
    page->cluster = session->cluster;
    page->token = (uint64_t)grant->token;
    page->slot = grant->slot;
    layout_copy(page->prefix, sizeof page->prefix, session->seat.layout.prefix);
    layout_copy(page->name, sizeof page->name, session->seat.layout.name);
    atomic_store(&page->good_until, session->lease.good_until);
}

int loans_lend(struct session *session, const berth_grant *grant, int *fd,
               char reason[STORE_REASON])
{
    struct session_grant *found = holding_find(session, grant);
    if (found == NULL || found->lost != NULL || found->releasing) {
        snprintf(reason, STORE_REASON, "slot %u of pool %s is not held by this handle", grant->slot,
                 session->seat.layout.name);
        return EPERM;
    }
    if (found->page == NULL) {
        int error = make_file(&found->page, &found->loan_fd);
        if (error != 0 || found->page == NULL)
            return cannot(error, grant->slot, "lent", reason);
        fill_page(session, found);
        error = guard_loan(&session->guard, GUARD_LENT, grant->slot, grant->token, found->loan_fd);
        if (error != 0) {
            loans_grant_ends(session, found);
            return cannot(error, grant->slot, "lent", reason);
        }
    }
    *fd = found->loan_fd;
    return 0;
}

bool loans_same_pool(struct session *session, const struct chain_page *page)
{
    const struct layout *layout = &session->seat.layout;
    return page->cluster == session->cluster && strcmp(page->prefix, layout->prefix) == 0 &&
           strcmp(page->name, layout->name) == 0;
}

void loans_renewed(struct session *session)
{
    for (struct session_grant *grant = session->grants; grant != NULL; grant = grant->next) {
        if (grant->page != NULL)
            atomic_store(&grant->page->good_until,
                         grant->lost != NULL ? 0 : session->lease.good_until);
    }
}

void loans_grant_ends(struct session *session, struct session_grant *grant)
{
    if (grant->page == NULL)
        return;
    atomic_store(&grant->page->good_until, 0);
    guard_returned(&session->guard, grant->slot, (uint64_t)grant->token);
    munmap(grant->page, CHAIN_PAGE_SIZE);
    close(grant->loan_fd);
    grant->page = NULL;
}

/* ---- borrowed ---- */

struct session_loan *loans_find(struct session *session, const berth_grant *grant)
{
    struct session_loan *at = session->loans;
    while (at != NULL && (at->grant.token != grant->token || at->grant.slot != grant->slot))
        at = at->next;
    return at;
}

/* What status shows of them is in the client's key. */
static void describe(struct session *session)
{
    struct machine_seat *seat = &session->seat;
    seat->loan_count = 0;
    for (const struct session_loan *loan = session->loans;
         loan != NULL && seat->loan_count < MACHINE_LOANS; loan = loan->next)
        seat->loans[seat->loan_count++] =
            (struct machine_loan){loan->grant.slot, loan->level, (int64_t)loan->grant.token};
}

int loans_borrow(struct session *session, const berth_grant *grant, unsigned level, int fd,
                 char reason[STORE_REASON])
{
    struct chain_page *page;
    struct session_loan *loan = malloc(sizeof *loan);
    int error = loan == NULL ? ENOMEM : map_page(fd, false, &page);
    if (error == 0) {
        error = guard_loan(&session->guard, GUARD_BORROWED, grant->slot, grant->token, fd);
        if (error != 0)
            munmap(page, CHAIN_PAGE_SIZE);
    }
    if (error != 0) {
        free(loan);
        return cannot(error, grant->slot, "borrowed", reason);
    }
    *loan = (struct session_loan){session->loans, *grant, level, fd, page, false};
    session->loans = loan;
    describe(session);
    loans_tell_guard(session);
    session_wake(session);
    return 0;
}

void loans_give_back(struct session *session, const berth_grant *grant)
{
    struct session_loan **at = &session->loans, *found;
    while (*at != NULL && ((*at)->grant.token != grant->token || (*at)->grant.slot != grant->slot))
        at = &(*at)->next;
    found = *at;
    if (found == NULL)
        return;
    *at = found->next;
    guard_returned(&session->guard, grant->slot, grant->token);
    munmap((void *)found->page, CHAIN_PAGE_SIZE);
    close(found->fd);
    free(found);
    describe(session);
    if (!session->closing)
        loans_tell_guard(session);
}

uint64_t loans_good_until(const struct session_loan *loan, uint64_t now)
{
    const uint64_t until = loan->lost ? 0 : atomic_load(&loan->page->good_until);
    return until > now ? until : 0;
}

void loans_look(struct session *session, uint64_t now, struct moment *until)
{
    for (struct session_loan *loan = session->loans; loan != NULL; loan = loan->next) {
        if (loan->lost)
            continue;
        if (loans_good_until(loan, now) == 0) {
            loan->lost = true;
            holding_tell(session);
        } else {
            *until = moment_first(*until, moment_at(now + look_after));
        }
    }
}

/* ---- both ---- */

void loans_tell_guard(struct session *session)
{
    const bool borrowed = session->loans != NULL && !holding_any(session);
    guard_lease(&session->guard, session->lease.id, session->lease.good_until,
                borrowed ? UINT64_MAX : session->lease.good_until);
}
