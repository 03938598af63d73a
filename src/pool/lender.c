#include "pool/lender.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file of a lender in another store ---- */

static int open_by(const char *who, int fd, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/fd/%d", who, fd);
    return open(path, flags | O_CLOEXEC);
}

int lender_open_again(const struct loan_lender *lender)
{
    return open_by("self", lender->fd, O_RDWR | O_NONBLOCK | O_NOCTTY);
}

/* Opens the file only if it is in memory and cannot shrink: whatever else the number may refer to
 * by now is not touched. */
static int open_file(const struct loan_lender *lender)
{
    char pid[16];
    struct stat status;
    snprintf(pid, sizeof pid, "%d", lender->pid);
    const int path = open_by(pid, lender->file_fd, O_PATH);
    if (path < 0)
        return -1;
    int fd = -1;
    if (fstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 0 &&
        status.st_size == CHAIN_PAGE_SIZE)
        fd = open_by("self", path, O_RDWR | O_NONBLOCK | O_NOCTTY);
    close(path);
    const int seals = fd >= 0 ? fcntl(fd, F_GET_SEALS) : -1;
    if (fd >= 0 && (seals < 0 || (seals & F_SEAL_SHRINK) == 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Whether it is a loan of this very slot, and of the store that the handle is of. */
static bool is_right(const berth_pool *pool, const struct loan_lender *lender)
{
    struct chain_page page;
    return pread(lender->fd, &page, sizeof page, 0) == (ssize_t)sizeof page &&
           page.magic == CHAIN_MAGIC && page.slot == lender->slot && page.token == lender->token &&
           pool->remote.store->lends(pool->remote.handle, &page);
}

static bool find_file(const berth_pool *pool, struct loan_lender *lender)
{
    if (*pool->mine != REMOTE) {
        lender->fd = pool->queue.file.fd;
        return true;
    }
    lender->fd = open_file(lender);
    if (lender->fd >= 0 && is_right(pool, lender))
        return true;
    lender_close(pool, lender);
    return false;
}

void lender_close(const berth_pool *pool, struct loan_lender *lender)
{
    if (*pool->mine == REMOTE && lender->fd >= 0)
        close(lender->fd);
    lender->fd = -1;
}

/* ---- the text ---- */

static bool is_lender(const struct loan_lender *lender)
{
    return lender->slot < BERTH_MAX_SLOTS && lender->level < LOAN_LEVELS_END && lender->name != 0 &&
           lender->name >> LOAN_NAME_BITS == 0;
}

bool lender_read(struct loan_lender *lender, const berth_pool *pool, const char *text,
                 size_t length)
{
    char copy[BERTH_LOAN_MAX], end;
    const char *name = pool->queue.file.name;
    const size_t skip = strlen(name);
    if (length >= sizeof copy || length <= skip || memcmp(text, name, skip) != 0 ||
        text[skip] != '/')
        return false;
    memcpy(copy, text + skip, length - skip);
    copy[length - skip] = '\0';
    *lender = (struct loan_lender){.fd = -1};
    const bool remote = *pool->mine == REMOTE;
    const int read = remote ? sscanf(copy, "/%u/%u/%" SCNx64 "/%" SCNu64 "/%d/%d%c", &lender->slot,
                                     &lender->level, &lender->name, &lender->token, &lender->pid,
                                     &lender->file_fd, &end)
                            : sscanf(copy, "/%u/%u/%" SCNx64 "/%" SCNu64 "%c", &lender->slot,
                                     &lender->level, &lender->name, &lender->token, &end);
    return read == (remote ? 6 : 4) && is_lender(lender) && find_file(pool, lender);
}
