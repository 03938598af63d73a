/*
 * Which processes were overtaken while they waited, seen from outside and without blaming the
 * innocent.
 *
 * That A called acquire before B and B came out first proves nothing: A may have lost the processor
 * on its way to the doorway, before it was in any queue. So the driver looks at processes while
 * they run. A process that the kernel says is asleep, and that was in the same acquire before and
 * after that look, is waiting: no subject sleeps before the end of its doorway. A process that
 * takes its number after that look and enters before A has passed A.
 *
 * Before A enters: with one slot, the numbers taken inside are the order of entry. With several, A
 * may have been given a slot and be slow to say so; there only those count that entered before a
 * later look which found A asleep in that same acquire still.
 *
 * So an overtake that is counted is one, but only the waiters that were watched are counted for. A
 * subject that never sleeps cannot be watched.
 */
#ifndef BERTH_BENCH_OVERTAKES_H
#define BERTH_BENCH_OVERTAKES_H

#include "bench/board.h"

enum { BENCH_WATCHES = 4096 };

struct bench_watch {
    unsigned process;
    uint32_t number;   /* of its acquire, counted from 1 */
    uint32_t arrivals; /* numbers from here on were taken after the first look */
    uint32_t from;     /* entries from here on may have come after it */
    uint32_t until;    /* and those before this one before the last look that found it asleep */
};

struct bench_order {
    uint32_t entries; /* in the log when the window ended */
    unsigned count;
    bool watching; /* the last one still */
    struct bench_watch watch[BENCH_WATCHES];
};

struct bench_overtaken {
    uint64_t watched, overtakes;
    bool has_by_ticket, has_from_call;
    uint64_t by_ticket, from_call;
};

/* One look, at the process that is being watched or else at one picked at random. */
void bench_order_look(struct bench_order *order, const struct bench_board *board,
                      struct bench_crew *crew);

/* At the end of the window, before anybody is killed: what happens later does not count. */
void bench_order_close(struct bench_order *order, const struct bench_board *board);

/* When all processes have ended. False: there is no memory. */
bool bench_order_count(const struct bench_order *order, const struct bench_board *board,
                       const struct bench_place *place, struct bench_overtaken *overtaken);

#endif
