#include "metrics.h"

#include "pool_command.h"

#include "pool/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cli_metrics_row {
    char name[BERTH_NAME_MAX + 1];
    char *store;
    unsigned slots;
    size_t held, waiting;
    double longest_held, longest_wait; /* seconds */
    struct pool_history history;
    struct lane_row {
        char name[BERTH_NAME_MAX + 1];
        size_t waiting;
    } * lane;
    size_t lanes;
};

/* The seconds since the earliest of them. */
static double longest(berth_user *const *users, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        const double seconds = cli_elapsed(CLOCK_REALTIME, &users[i]->since);
        most = seconds > most ? seconds : most;
    }
    return most;
}

bool cli_metrics_add(struct cli_metrics *metrics, const char *name, const berth_view *view,
                     const struct cli_lanes *lanes, const berth_options *options)
{
    if (metrics->count == metrics->room) {
        const size_t room = metrics->room == 0 ? 16 : 2 * metrics->room;
        struct cli_metrics_row *more = reallocarray(metrics->row, room, sizeof *more);
        if (more == NULL)
            return false;
        metrics->row = more;
        metrics->room = room;
    }
    struct cli_metrics_row *row = &metrics->row[metrics->count];
    *row = (struct cli_metrics_row){.store = strdup(view->store),
                                    .slots = view->slots,
                                    .held = view->holder_count,
                                    .waiting = view->waiter_count,
                                    .longest_held = longest(view->holders, view->holder_count),
                                    .longest_wait = longest(view->waiters, view->waiter_count)};
    snprintf(row->name, sizeof row->name, "%s", name);
    row->lane = calloc(lanes->count + 1, sizeof *row->lane);
    for (size_t i = 0; i < lanes->count && row->lane != NULL; i++) {
        struct lane_row *lane = &row->lane[row->lanes++];
        snprintf(lane->name, sizeof lane->name, "%s", lanes->lane[i].name);
        lane->waiting = lanes->lane[i].view->waiter_count;
    }
    if (pool_history(&row->history, name, options) != 0)
        row->history.unknown = true; /* it was removed in between */
    metrics->count++;                /* from here on it is freed with the others */
    return row->store != NULL && row->lane != NULL;
}

static void put_family(const char *name, const char *type, const char *unit, const char *help)
{
    printf("# TYPE berth_%s %s\n", name, type);
    if (unit != NULL)
        printf("# UNIT berth_%s %s\n", name, unit);
    printf("# HELP berth_%s %s\n", name, help);
}

/* The start of a line, with the labels of the row; `lane` may be NULL. */
static void put_labels_of_lane(const char *name, const struct cli_metrics_row *row,
                               const char *lane)
{
    printf("berth_%s{pool=\"%s\",store=\"", name, row->name);
    for (const char *next = row->store; *next != '\0'; next++) {
        if (*next == '\n')
            fputs("\\n", stdout);
        else if (*next == '"' || *next == '\\')
            printf("\\%c", *next);
        else
            putchar(*next);
    }
    if (lane != NULL)
        printf("\",lane=\"%s", lane);
    fputs("\"} ", stdout);
}

static void put_labels(const char *name, const struct cli_metrics_row *row)
{
    put_labels_of_lane(name, row, NULL);
}

#define EACH(row)                                                                                  \
    for (const struct cli_metrics_row *row = metrics->row; row < metrics->row + metrics->count;    \
         row++)

/* A family's lines stand together, so each family goes through all pools. */
void cli_metrics_print(const struct cli_metrics *metrics)
{
    put_family("slots", "gauge", NULL, "Slots of the pool.");
    EACH(row)
    {
        put_labels("slots", row);
        printf("%u\n", row->slots);
    }
    put_family("held", "gauge", NULL, "Slots that are held.");
    EACH(row)
    {
        put_labels("held", row);
        printf("%zu\n", row->held);
    }
    put_family("waiting", "gauge", NULL, "Places in the queue.");
    EACH(row)
    {
        put_labels("waiting", row);
        printf("%zu\n", row->waiting);
    }
    put_family("lane_waiting", "gauge", NULL, "Processes that wait in a lane, behind its head.");
    EACH(row)
    {
        for (size_t i = 0; i < row->lanes; i++) {
            put_labels_of_lane("lane_waiting", row, row->lane[i].name);
            printf("%zu\n", row->lane[i].waiting);
        }
    }
    put_family("longest_hold_seconds", "gauge", "seconds", "For how long a slot has been held.");
    EACH(row)
    {
        put_labels("longest_hold_seconds", row);
        printf("%.3f\n", row->longest_held);
    }
    put_family("oldest_wait_seconds", "gauge", "seconds", "For how long the first has waited.");
    EACH(row)
    {
        put_labels("oldest_wait_seconds", row);
        printf("%.3f\n", row->longest_wait);
    }
    put_family("grants", "counter", NULL,
               "Turns in the queue: grants, and those of waiters that died or gave up.");
    EACH(row)
    {
        if (row->history.unknown)
            continue;
        put_labels("grants_total", row);
        printf("%" PRIu64 "\n", row->history.served);
        put_labels("grants_created", row);
        printf("%" PRIu64 ".%06u\n", row->history.made / 1000000,
               (unsigned)(row->history.made % 1000000));
    }
    put_family("died", "gauge", NULL,
               "Processes that ended without leaving the pool, and whose seats are not used again "
               "yet.");
    EACH(row)
    {
        if (row->history.unknown)
            continue;
        put_labels("died", row);
        printf("%u\n", row->history.died);
    }
    puts("# EOF");
}

void cli_metrics_free(struct cli_metrics *metrics)
{
    EACH(row)
    {
        free(row->store);
        free(row->lane);
    }
    free(metrics->row);
    *metrics = (struct cli_metrics){0};
}
