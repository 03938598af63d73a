/*
 * Lanes: each is a pool of one slot (or of its width), which is called POOL@LANE, a name that
 * nobody can type. The process that holds its slot is the head of the lane: it alone waits in the
 * pool's own line. See src/protocol/pool/lanes.c for what follows from that.
 *
 * A lane is in the store of its pool. A user who cannot make files there has it in the default
 * store, under a name with a third part, and it is that user's alone.
 */
#ifndef BERTH_CLI_LANES_H
#define BERTH_CLI_LANES_H

#include "berth.h"
#include "pool_lines.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether a lane can be called so, beside its pool. */
bool cli_lane_is_name(const char *lane);
/* The pool of the lane; `elsewhere`: in the default store, for a pool in `store`. False: the two
 * names are too long together. */
bool cli_lane_pool(char name[static BERTH_NAME_MAX + 1], const char *pool, const char *lane,
                   const char *store, bool elsewhere);
/* The lane that is a user's own: by name, or by number. */
const char *cli_lane_of_user(char lane[static BERTH_NAME_MAX + 1]);

struct cli_lane {
    char name[BERTH_NAME_MAX + 1];
    berth_view *view; /* its holders are the heads, and its slots the width */
};

struct cli_lanes {
    struct cli_lane *lane;
    size_t count, room;
};

/* Looks at all lanes of a pool, in alphabetical order; those that cannot be read are left out. The
 * caller frees them. 0 or ENOMEM. */
int cli_lanes_look(struct cli_lanes *lanes, const char *pool, const char *store);
void cli_lanes_free(struct cli_lanes *lanes);
size_t cli_lanes_waiting(const struct cli_lanes *lanes);

/* The lines of those who wait in lanes, below the pool's own, and how many there are. */
size_t cli_lanes_lines(const struct cli_lanes *lanes);
const char *cli_lanes_line(char line[CLI_USER_LINE], const struct cli_lanes *lanes, size_t number);

/* Removes the lanes of a pool. EBUSY, with the reason: one is in use. */
int cli_lanes_remove(const char *pool, const char *store);

#endif
