/* A seat that slots remember, though the process that had it is gone. */
#ifndef BERTH_POOL_LOAN_SEAT_H
#define BERTH_POOL_LOAN_SEAT_H

#include "pool/file.h"

#include <stdbool.h>

/* Whether the seat is named by a slot that is kept by a loan: then a newcomer does not take it. */
bool loan_seat_is_kept(const struct pool_file *file, unsigned seat);

#endif
