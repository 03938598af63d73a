#include "store/guardian/loans.h"

#include "os/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct loan {
    struct loan *next;
    struct chain_page *page;
    unsigned slot;
    uint64_t token;
    int fd;
    bool lent; /* or borrowed */
};

static struct loan *loans;

/* ---- the protocol: a slot whose holder is dead is kept by the borrower ---- */

#define STEP_NATIVE
#define STEP_EMBEDDED
#define STEP_OWN_SHARED
#define LOAN_EMBEDDED
#define step_shared loan
#define LEVELS_END CHAIN_LEVELS_END
#define TAKE(label, taken, j, d, end) (void)(end), taken = false;
#define DROP(label, j, d, end) (void)(end);
#define KEEP(label, j, d) (void)(d);
#define IS_LENT(label, held, j, d) held = false;
/* If the kernel does not answer, somebody may still hold it. */
#define IS_HELD(label, held, j, d, end)                                                            \
    STEP_HOOK(label, held = is_held(shared->fd, chain_levels(j, d, end)));
static bool is_held(int fd, struct os_range range)
{
    struct os_range found;
    return os_lock_find(fd, range, &found) != ENOENT;
}
#include "protocol/pool/loan.c"

static bool is_kept(struct loan *loan)
{
    static const struct step_params as_it_is = {.n = 1, .l = BERTH_MAX_SLOTS};
    struct step_local my = {.j = loan->slot + 1};
    keeps(loan, &my, &as_it_is, 0);
    return my.outcome == OUT;
}

/* ---- the list ---- */

void loans_take(const struct guard_message *message, int fd)
{
    struct loan *loan = fd >= 0 ? calloc(1, sizeof *loan) : NULL;
    void *page = loan != NULL
                     ? mmap(NULL, CHAIN_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                     : MAP_FAILED;
    if (page == MAP_FAILED) {
        free(loan);
        if (fd >= 0)
            close(fd);
        return;
    }
    *loan = (struct loan){.next = loans,
                          .page = page,
                          .slot = message->slot,
                          .token = message->token,
                          .fd = fd,
                          .lent = message->word == GUARD_LENT};
    loans = loan;
}

static void drop_one(struct loan **at)
{
    struct loan *loan = *at;
    *at = loan->next;
    munmap(loan->page, CHAIN_PAGE_SIZE);
    close(loan->fd);
    free(loan);
}

void loans_drop(const struct guard_message *message)
{
    struct loan **at = &loans;
    while (*at != NULL && ((*at)->slot != message->slot || (*at)->token != message->token))
        at = &(*at)->next;
    if (*at != NULL)
        drop_one(at);
}

uint64_t loans_borrowed_until(void)
{
    uint64_t least = UINT64_MAX;
    for (const struct loan *loan = loans; loan != NULL; loan = loan->next) {
        const uint64_t until = loan->lent ? UINT64_MAX : atomic_load(&loan->page->good_until);
        least = until < least ? until : least;
    }
    return least;
}

void loans_give_back(void)
{
    for (struct loan **at = &loans; *at != NULL;) {
        if ((*at)->lent)
            at = &(*at)->next;
        else
            drop_one(at);
    }
}

/* ---- the end ---- */

static bool any_kept(void)
{
    for (struct loan *loan = loans; loan != NULL; loan = loan->next) {
        if (is_kept(loan))
            return true;
    }
    return false;
}

void loans_wait(uint64_t good_until)
{
    for (struct loan *loan = loans; loan != NULL; loan = loan->next)
        atomic_store(&loan->page->good_until, 0);
    while (any_kept() && os_now(STORE_CLOCK) < good_until) {
        const struct timespec pause = os_timespec((uint64_t)5 * OS_MILLISECOND);
        nanosleep(&pause, NULL);
    }
}
