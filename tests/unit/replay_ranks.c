#include "replay_ranks.h"

struct check_ranks replay_ranks(const struct replay *replay, size_t at)
{
    struct check_ranks ranks;
    replay->model->ranks(replay->model, replay->state[at], &ranks);
    return ranks;
}

bool is_lower(const struct check_ranks *ranks, unsigned u, unsigned v)
{
    return ranks->lower[u] >> v & 1;
}

/* precedes.u.v of section 4.2, run through from the beginning: at each change of a state it becomes
 * "u is black, and v is white or it was so". */
static bool replay_precedes(const struct replay *replay, unsigned u, unsigned v)
{
    struct check_ranks before = replay_ranks(replay, 0);
    bool precedes = false;
    for (size_t at = 1; at <= replay->length; at++) {
        const struct check_ranks now = replay_ranks(replay, at);
        if (now.colour[u] != before.colour[u] || now.colour[v] != before.colour[v])
            precedes = now.colour[u] == CHECK_BLACK && (now.colour[v] == CHECK_WHITE || precedes);
        before = now;
    }
    return precedes;
}

bool replay_breaks_precedence(const struct replay *replay, bool served)
{
    const struct check_ranks last = replay_ranks(replay, replay->length);
    for (unsigned u = 0; u < last.count; u++) {
        for (unsigned v = 0; v < last.count; v++) {
            const bool bad = served ? last.served >> v & 1
                                    : last.colour[v] == CHECK_BLACK && !is_lower(&last, v, u);
            if (u != v && last.colour[u] == CHECK_BLACK && bad && replay_precedes(replay, u, v))
                return true;
        }
    }
    return false;
}

bool replay_has_cycle(const struct replay *replay)
{
    const struct check_ranks last = replay_ranks(replay, replay->length);
    for (unsigned u = 0; u < last.count; u++) {
        unsigned above = last.lower[u];
        for (unsigned more = 0; more < last.count; more++) {
            for (unsigned v = 0; v < last.count; v++)
                above |= above >> v & 1 ? last.lower[v] : 0;
        }
        if (above >> u & 1)
            return true;
    }
    return false;
}

bool replay_has_tie(const struct replay *replay)
{
    const struct check_ranks last = replay_ranks(replay, replay->length);
    for (unsigned u = 0; u < last.count; u++) {
        for (unsigned v = 0; v < u; v++) {
            if (!is_lower(&last, u, v) && !is_lower(&last, v, u))
                return true;
        }
    }
    return false;
}

bool replay_breaks_stability(const struct replay *replay)
{
    if (replay->length == 0)
        return false;
    const struct check_ranks from = replay_ranks(replay, replay->length - 1);
    const struct check_ranks to = replay_ranks(replay, replay->length);
    for (unsigned u = 0; u < from.count; u++) {
        for (unsigned v = 0; v < from.count; v++) {
            if (u != v && from.colour[u] == CHECK_BLACK && is_lower(&from, v, u) &&
                to.colour[u] != CHECK_WHITE &&
                !(to.colour[u] == CHECK_BLACK && is_lower(&to, v, u)))
                return true;
        }
    }
    return false;
}

bool asks_for_rank(enum check_region region, uint8_t colour)
{
    return colour == CHECK_GREY && (check_trying(region) || region == CHECK_CRITICAL);
}

bool replay_is_slow(const struct replay *replay, bool has_bound, uint64_t bound)
{
    for (unsigned i = 0; i < replay->model->n; i++) {
        uint64_t steps = 0;
        for (size_t s = 0; s < replay->length; s++) {
            bool grey[2];
            for (unsigned after = 0; after < 2; after++)
                grey[after] = asks_for_rank(replay_region(replay, s + after, i),
                                            replay_ranks(replay, s + after).colour[i]);
            const bool own = replay_mover(replay, s) == i &&
                             check_step_edges(replay->model) >> replay->result->witness.edge[s] & 1;
            steps = grey[0] ? steps + own : 0;
            if ((has_bound && steps > bound) ||
                (own && grey[0] && !grey[1] &&
                 replay_ranks(replay, s + 1).colour[i] != CHECK_BLACK))
                return true;
        }
    }
    return false;
}

bool replay_overtakes(const struct replay *replay)
{
    const struct check_model *model = replay->model;
    const size_t end = replay->length;
    if (model->ranks_things)
        return replay_breaks_precedence(replay, true);
    for (unsigned u = 0; u < model->n; u++) {
        for (unsigned v = 0; v < model->n; v++) {
            const uint64_t both = UINT64_C(1) << u | UINT64_C(1) << v;
            if (u == v || replay_region(replay, end, v) != CHECK_CRITICAL ||
                !(model->first_come || check_clash(model, replay->state[end], both)))
                continue;
            for (size_t at = end + 1; at-- > 0;) {
                const enum check_region region = replay_region(replay, at, u);
                if (region != CHECK_WAITING &&
                    !(model->first_come && (region == CHECK_CRITICAL || region == CHECK_EXIT)))
                    break;
                if (replay_region(replay, at, v) == CHECK_REMAINDER)
                    return true;
            }
        }
    }
    return false;
}
