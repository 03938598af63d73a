/* What the processes of a torture complain of, in memory that survives them: any of them may be
 * killed while it writes. */
#ifndef TORTURE_COMPLAINT_H
#define TORTURE_COMPLAINT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { COMPLAINTS = 16 };

/* All zero: nothing yet. Each complaint has a text of its own, so that one that was cut off spoils
 * no other. */
struct complaints {
    _Atomic(unsigned) begun; /* complaints that somebody has begun to write */
    _Atomic(unsigned) whole; /* the number of the first one that is complete; 0: none */
    char text[COMPLAINTS][512];
};

/* Once there is a complete one, others are not taken: they are most likely due to it. */
__attribute__((format(printf, 2, 3))) void complain(struct complaints *complaints,
                                                    const char *format, ...);

/* There is a complete one: the torture is over. */
bool complaint_found(const struct complaints *complaints);

/* When nobody writes any more. Prints the first complete one; if there is none, one that was cut
 * off. False if there are none at all. */
bool complaint_print(const struct complaints *complaints, FILE *out);

#endif
