#include "lanes.h"

#include "store/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

bool cli_lane_is_name(const char *lane)
{
    const size_t length = strlen(lane);
    return length > 0 && length < BERTH_NAME_MAX && strspn(lane, letters) == length;
}

/* A number for a store, so that pools of the same name in two stores do not share lanes. */
static uint32_t number_of(const char *store)
{
    uint32_t hash = 2166136261U; /* FNV-1a */
    for (; *store != '\0'; store++)
        hash = (hash ^ (unsigned char)*store) * 16777619U;
    return hash;
}

bool cli_lane_pool(char name[static BERTH_NAME_MAX + 1], const char *pool, const char *lane,
                   const char *store, bool elsewhere)
{
    char part[16] = "";
    if (elsewhere)
        snprintf(part, sizeof part, "@%08" PRIx32, number_of(store != NULL ? store : ""));
    const int length = snprintf(name, BERTH_NAME_MAX + 1, "%s@%s%s", pool, lane, part);
    return length > 0 && length <= BERTH_NAME_MAX;
}

const char *cli_lane_of_user(char lane[static BERTH_NAME_MAX + 1])
{
    const berth_user user = {.flags = BERTH_USER_UID, .uid = geteuid()};
    char name[CLI_USER_NAME];
    snprintf(lane, BERTH_NAME_MAX + 1, "%s", cli_user_name(name, &user));
    if (!cli_lane_is_name(lane))
        snprintf(lane, BERTH_NAME_MAX + 1, "%u", user.uid);
    return lane;
}

/* ---- all lanes of a pool ---- */

struct finding_lanes {
    const char *pool, *store; /* whose lanes */
    const char *in;           /* the store that is listed */
    bool elsewhere;
    struct cli_lanes *lanes; /* NULL: remove them */
    int error;
};

/* The lane in the name of its pool; false: it is another pool's. */
static bool lane_in(const struct finding_lanes *finding, const char *name,
                    char lane[static BERTH_NAME_MAX + 1])
{
    char again[BERTH_NAME_MAX + 1];
    const size_t pool = strlen(finding->pool);
    if (strncmp(name, finding->pool, pool) != 0 || name[pool] != '@')
        return false;
    snprintf(lane, BERTH_NAME_MAX + 1, "%s", name + pool + 1);
    lane[strcspn(lane, "@")] = '\0';
    return cli_lane_pool(again, finding->pool, lane, finding->store, finding->elsewhere) &&
           strcmp(again, name) == 0;
}

static int take_lane(const char *name, void *context)
{
    struct finding_lanes *finding = context;
    struct cli_lanes *lanes = finding->lanes;
    char lane[BERTH_NAME_MAX + 1];
    const berth_options how = {.store = finding->in, .flags = STORE_LANE};
    if (!lane_in(finding, name, lane))
        return 0;
    if (lanes == NULL) {
        finding->error = berth_remove(name, &how);
        return finding->error == ENOENT ? 0 : finding->error;
    }
    if (lanes->count == lanes->room) {
        const size_t room = lanes->room == 0 ? 8 : 2 * lanes->room;
        struct cli_lane *more = reallocarray(lanes->lane, room, sizeof *more);
        if (more == NULL)
            return finding->error = ENOMEM;
        lanes->lane = more;
        lanes->room = room;
    }
    struct cli_lane *one = &lanes->lane[lanes->count];
    memcpy(one->name, lane, sizeof one->name);
    lanes->count += berth_look(&one->view, name, &how) == 0;
    return 0;
}

/* In the pool's own store, and in the default one, where that is another. */
static int find_lanes(const char *pool, const char *store, struct cli_lanes *lanes)
{
    struct finding_lanes finding = {.pool = pool, .store = store, .in = store, .lanes = lanes};
    (void)berth_list(&(berth_options){.store = store, .flags = STORE_LANE}, take_lane, &finding);
    if (finding.error != 0 || store == NULL)
        return finding.error;
    finding.in = NULL;
    finding.elsewhere = true;
    (void)berth_list(&(berth_options){.flags = STORE_LANE}, take_lane, &finding);
    return finding.error;
}

int cli_lanes_look(struct cli_lanes *lanes, const char *pool, const char *store)
{
    *lanes = (struct cli_lanes){0};
    const int error = find_lanes(pool, store, lanes);
    if (error != 0)
        cli_lanes_free(lanes);
    return error;
}

void cli_lanes_free(struct cli_lanes *lanes)
{
    for (size_t i = 0; i < lanes->count; i++)
        berth_view_free(lanes->lane[i].view);
    free(lanes->lane);
    *lanes = (struct cli_lanes){0};
}

size_t cli_lanes_waiting(const struct cli_lanes *lanes)
{
    size_t sum = 0;
    for (size_t i = 0; i < lanes->count; i++)
        sum += lanes->lane[i].view->waiter_count;
    return sum;
}

size_t cli_lanes_lines(const struct cli_lanes *lanes)
{
    size_t lines = 0;
    for (size_t i = 0; i < lanes->count; i++) {
        const size_t waiters = lanes->lane[i].view->waiter_count;
        lines += waiters > 0 ? 1 + waiters : 0;
    }
    return lines;
}

const char *cli_lanes_line(char line[CLI_USER_LINE], const struct cli_lanes *lanes, size_t number)
{
    line[0] = '\0';
    for (size_t i = 0; i < lanes->count; i++) {
        const struct cli_lane *lane = &lanes->lane[i];
        const size_t waiters = lane->view->waiter_count;
        if (waiters == 0)
            continue;
        if (number == 0 && lane->view->slots > 1)
            snprintf(line, CLI_USER_LINE, "  lane %s of width %u: %zu waiting behind its heads",
                     lane->name, lane->view->slots, waiters);
        else if (number == 0)
            snprintf(line, CLI_USER_LINE, "  lane %s: %zu waiting behind its head", lane->name,
                     waiters);
        else if (number <= waiters)
            return cli_user_line(line, "  next", lane->view->waiters[number - 1]);
        if (number <= waiters)
            break;
        number -= 1 + waiters;
    }
    return line;
}

int cli_lanes_remove(const char *pool, const char *store)
{
    return find_lanes(pool, store, NULL);
}
