/* What a finite run shows about ranks and about an order of its own, from the definitions. */
#ifndef BERTH_TESTS_REPLAY_RANKS_H
#define BERTH_TESTS_REPLAY_RANKS_H

#include "replay_witness.h"

struct check_ranks replay_ranks(const struct replay *replay, size_t at);

bool is_lower(const struct check_ranks *ranks, unsigned u, unsigned v);

bool replay_breaks_precedence(const struct replay *replay, bool served);

/* Somebody is lower than itself, along at most as many ranks as there are. */
bool replay_has_cycle(const struct replay *replay);

bool replay_has_tie(const struct replay *replay);

bool replay_breaks_stability(const struct replay *replay);

/* Grey, and on its way or in its critical region; elsewhere it may have been killed. */
bool asks_for_rank(enum check_region region, uint8_t colour);

/* Process i takes more than `bound` steps while it asks for a rank, or goes on without one. */
bool replay_is_slow(const struct replay *replay, bool has_bound, uint64_t bound);

/* fifo where the model has an order of its own. */
bool replay_overtakes(const struct replay *replay);

#endif
