/*
 * Times that may be never, and spans that may last for ever. Both are types of their own: nothing
 * can be added to a moment, and what is added to one never wraps round. A time that has come, as
 * os_now gives it, is a plain number of nanoseconds on STORE_CLOCK.
 */
#ifndef BERTH_STORE_ETCD_MOMENT_H
#define BERTH_STORE_ETCD_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

struct moment {
    uint64_t at; /* only for the functions below */
};

/* How long something is tried. */
struct patience {
    uint64_t span; /* only for the functions below */
};

static inline struct moment moment_never(void)
{
    return (struct moment){UINT64_MAX};
}

static inline struct moment moment_at(uint64_t time)
{
    return (struct moment){time};
}

static inline bool moment_is_never(struct moment moment)
{
    return moment.at == UINT64_MAX;
}

/* Says whether `moment` has come at the time `now`. */
static inline bool moment_has_come(struct moment moment, uint64_t now)
{
    return now >= moment.at;
}

static inline struct moment moment_first(struct moment one, struct moment other)
{
    return one.at < other.at ? one : other;
}

static inline struct moment moment_last(struct moment one, struct moment other)
{
    return one.at > other.at ? one : other;
}

/* Gives the nanoseconds from `now` until `moment`; 0 if it has come. Not for one that is never. */
static inline uint64_t moment_left(struct moment moment, uint64_t now)
{
    return moment.at > now ? moment.at - now : 0;
}

static inline struct patience patience_for(uint64_t nanoseconds)
{
    return (struct patience){nanoseconds};
}

static inline struct patience patience_endless(void)
{
    return (struct patience){UINT64_MAX};
}

/* Gives the moment at which `patience` is over that began at the time `since`: never, if it is
 * endless. */
static inline struct moment patience_ends(struct patience patience, uint64_t since)
{
    return patience.span < UINT64_MAX - since ? moment_at(since + patience.span) : moment_never();
}

#endif
