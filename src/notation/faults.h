/* What is wrong with a protocol file as text, and would otherwise be a wrong answer. */
#ifndef BERTH_NOTATION_FAULTS_H
#define BERTH_NOTATION_FAULTS_H

#include "notation/flow.h"

struct notation_fault {
    const char *file; /* as the compiler names it */
    unsigned line;    /* 0: of no line */
    char text[256];
};

/* The first thing that is wrong; false: nothing is. */
bool notation_find_fault(const struct notation_file *file, struct notation_fault *fault);

#endif
