/* The kill points: two for each labelled access of the pool protocol, just before it and just
 * after. */
#ifndef BERTH_TORTURE_POINTS_H
#define BERTH_TORTURE_POINTS_H

#include <stdbool.h>

enum { POINTS_MAX = 256, POINT_NAME = 12 };

struct points {
    unsigned count;
    char name[POINTS_MAX][POINT_NAME]; /* "D1", and after the access "D1+" */
};

/* Finds them in the protocol's source, so that none is forgotten. False: it cannot be read, or
 * makes no sense. */
bool points_read(struct points *points, const char *source);

/* Its number; `count` if there is none of that name. */
unsigned points_find(const struct points *points, const char *name);

#endif
