/*
 * The texts that tell a run about its lenders, and the files of lenders of slots of another store:
 * these are in memory alone, and are found as /proc/PID/fd/FD of the lender.
 */
#ifndef BERTH_POOL_LENDER_H
#define BERTH_POOL_LENDER_H

#include "pool/loan.h"

/* Reads one text, NAME/SLOT/LEVEL/NAME OF THE RUN/TOKEN, followed by /PID/FD for another store.
 * False: it is no such text, or of another pool, or its lender is not found. Otherwise the caller
 * closes it. */
bool lender_read(struct loan_lender *lender, const berth_pool *pool, const char *text,
                 size_t length);

/* The same file, opened once more, so that its locks are the opener's own; -1: it cannot be. */
int lender_open_again(const struct loan_lender *lender);

void lender_close(const berth_pool *pool, struct loan_lender *lender);

#endif
