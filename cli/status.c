/* berth status: who holds and who waits, in order. */
#include "lanes.h"
#include "metrics.h"
#include "pool_command.h"
#include "pool_lines.h"
#include "suggest.h"
#include "where.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

struct options {
    const char *pool; /* NULL: all of them */
    const char *store;
    json_t *list;                /* NULL: print text */
    json_t *damaged;             /* with it: what cannot be shown */
    struct cli_metrics *metrics; /* NULL: print something else */
    bool printed;                /* some pool; the next one is set off by an empty line */
    int status;
};

/* ---- JSON ---- */

/* RFC 3339, in UTC, to the millisecond. */
static json_t *time_json(const struct timespec *time)
{
    struct tm parts;
    char text[64];
    if (gmtime_r(&time->tv_sec, &parts) == NULL)
        return json_null();
    size_t length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + length, sizeof text - length, ".%03ldZ", time->tv_nsec / 1000000);
    return json_string(text);
}

static json_t *user_json(const berth_user *user, bool holds)
{
    char name[CLI_USER_NAME];
    json_t *object = json_pack("{s:i}", holds ? "slot" : "place", (int)user->number);
    if (holds)
        json_object_set_new(object, "token", json_integer((json_int_t)user->token));
    const bool is_known = (user->flags & BERTH_USER_UID) != 0;
    json_t *rest = json_pack("{s:i, s:s, s:s, s:o, s:s?, s:b}", "pid", user->pid, "host",
                             user->host, "command", user->command, "since", time_json(&user->since),
                             "user", is_known ? cli_user_name(name, user) : NULL, "stopped",
                             (user->flags & BERTH_USER_STOPPED) != 0);
    if (json_object_update(object, rest) != 0) {
        json_decref(object);
        object = NULL;
    }
    json_decref(rest);
    return object;
}

static json_t *users_json(berth_user *const *users, size_t count, bool holds)
{
    json_t *list = json_array();
    for (size_t u = 0; u < count; u++) {
        if (json_array_append_new(list, user_json(users[u], holds)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* The borrowers of this slot, from the holder on. */
static json_t *loans_json(const berth_view *view, unsigned slot)
{
    json_t *list = json_array();
    for (size_t i = 0; i < view->loan_count && list != NULL; i++) {
        const berth_loan *loan = view->loans[i];
        if (loan->user.number != slot)
            continue;
        json_t *object = user_json(&loan->user, true);
        if (json_object_set_new(object, "level", json_integer(loan->level)) != 0 ||
            json_object_set_new(object, "left", json_boolean(loan->left)) != 0 ||
            json_array_append(list, object) != 0) {
            json_decref(list);
            list = NULL;
        }
        json_decref(object);
    }
    return list;
}

static json_t *holders_json(const berth_view *view)
{
    json_t *list = users_json(view->holders, view->holder_count, true);
    size_t i;
    json_t *holder;
    json_array_foreach(list, i, holder)
    {
        if (json_object_set_new(holder, "loans", loans_json(view, view->holders[i]->number)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* Processes with several slots, or with one and a place in the queue. */
static json_t *builds_json(const berth_view *view)
{
    json_t *list = json_array();
    struct cli_build build;
    for (size_t b = 0; list != NULL && cli_build(view, b, &build); b++) {
        char name[CLI_USER_NAME];
        const bool is_known = (build.user->flags & BERTH_USER_UID) != 0;
        if (json_array_append_new(
                list, json_pack("{s:i, s:s, s:s, s:s?, s:i, s:i}", "pid", build.user->pid, "host",
                                build.user->host, "command", build.user->command, "user",
                                is_known ? cli_user_name(name, build.user) : NULL, "slots",
                                (int)build.slots, "asks", (int)build.asks)) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

/* The heads are among the pool's own waiters, or about to be. */
static json_t *lanes_json(const struct cli_lanes *lanes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < lanes->count && list != NULL; i++) {
        const berth_view *view = lanes->lane[i].view;
        if (json_array_append_new(
                list, json_pack("{s:s, s:i, s:o, s:o}", "lane", lanes->lane[i].name, "width",
                                (int)view->slots, "heads",
                                users_json(view->holders, view->holder_count, false), "waiters",
                                users_json(view->waiters, view->waiter_count, false))) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static json_t *view_json(const char *name, const berth_view *view, const struct cli_lanes *lanes)
{
    return json_pack("{s:s, s:s, s:i, s:o, s:o, s:o, s:o}", "pool", name, "store", view->store,
                     "slots", (int)view->slots, "holders", holders_json(view), "waiters",
                     users_json(view->waiters, view->waiter_count, false), "builds",
                     builds_json(view), "lanes", lanes_json(lanes));
}

/* ---- text ---- */

static void print_users(const char *what, berth_user *const *users, size_t count)
{
    char line[CLI_USER_LINE];
    for (size_t u = 0; u < count; u++)
        puts(cli_user_line(line, what, users[u]));
}

/* Below the slot that they work in. */
static void print_loans(const berth_view *view, unsigned slot)
{
    char line[CLI_USER_LINE];
    for (size_t i = 0; i < view->loan_count; i++) {
        if (view->loans[i]->user.number == slot)
            puts(cli_user_line(line, "  lent", &view->loans[i]->user));
    }
}

static void print_view(const char *name, const berth_view *view, const struct cli_lanes *lanes)
{
    char heading[CLI_USER_LINE];
    printf("%s: %u %s, %zu held, %zu waiting\n", name, view->slots,
           view->slots == 1 ? "slot" : "slots", view->holder_count, view->waiter_count);
    if (view->holder_count + view->waiter_count > 0)
        puts(cli_user_heading(heading));
    for (size_t h = 0; h < view->holder_count; h++) {
        print_users("slot", &view->holders[h], 1);
        print_loans(view, view->holders[h]->number);
    }
    print_users("place", view->waiters, view->waiter_count);
    for (size_t i = 0; i < cli_lanes_lines(lanes); i++)
        puts(cli_lanes_line(heading, lanes, i));
    struct cli_build build;
    for (size_t b = 0; cli_build(view, b, &build); b++)
        puts(cli_build_line(heading, &build));
}

/* ---- pools ---- */

/* 0, or why to stop. */
static int show(const char *name, const char *store, void *context)
{
    struct options *options = context;
    berth_view *view;
    int error = berth_look(&view, name, &(berth_options){.store = store});
    if (error != 0 && options->pool != NULL)
        return error;
    if (error == ENOENT)
        return 0;   /* removed since it was listed */
    if (error != 0) /* go on: the others may be fine */
        return cli_not_shown(&cli_status, name, error, options->damaged, &options->status);
    struct cli_lanes lanes;
    error = cli_lanes_look(&lanes, name, store);
    if (error == 0 && options->metrics != NULL) {
        if (!cli_metrics_add(options->metrics, name, view, &lanes,
                             &(berth_options){.store = store}))
            error = ENOMEM;
    } else if (error == 0 && options->list != NULL) {
        if (json_array_append_new(options->list, view_json(name, view, &lanes)) != 0)
            error = ENOMEM;
    } else if (error == 0) {
        if (options->printed)
            putchar('\n');
        print_view(name, view, &lanes);
        options->printed = true;
    }
    cli_lanes_free(&lanes);
    berth_view_free(view);
    return error;
}

static int show_all(struct options *options, char **argv)
{
    struct cli_where where;
    cli_where_open(&where, options->store, argv);
    const int error = options->pool != NULL
                          ? show(options->pool, cli_where_store(&where, options->pool), options)
                          : cli_where_each(&where, show, options);
    if (error == ENOMEM)
        options->status = cli_error(CLI_FAILED, "%s: out of memory", cli_status.name);
    else if (error != 0 && options->pool != NULL)
        options->status = cli_where_failed(&where, &cli_status, options->pool, error);
    else if (error != 0)
        options->status = cli_pool_failed(&cli_status, error);
    cli_where_close(&where);
    return options->status;
}

static int run(int argc, char **argv)
{
    static const struct option long_options[] = {{"json", no_argument, NULL, 'J'},
                                                 {"openmetrics", no_argument, NULL, 'M'},
                                                 {CLI_LONG_OPTION_STORE},
                                                 {NULL, 0, NULL, 0}};
    struct options options = {.status = CLI_OK};
    struct cli_metrics metrics = {0};
    bool json = false;
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (option == 'J')
            json = true;
        else if (option == 'M')
            options.metrics = &metrics;
        else if (option == CLI_OPTION_STORE)
            options.store = optarg;
        else
            return cli_unknown_option(&cli_status, argv);
    }
    if (optind + 1 < argc)
        return cli_usage(&cli_status, "name one pool, or none for all of them");
    if (json && options.metrics != NULL)
        return cli_usage(&cli_status, "--json or --openmetrics, not both");
    options.pool = argv[optind]; /* NULL after the last */
    options.list = json ? json_array() : NULL;
    options.damaged = json ? json_array() : NULL;
    if (json && (options.list == NULL || options.damaged == NULL))
        return cli_error(CLI_FAILED, "%s: out of memory", cli_status.name);
    int status = show_all(&options, argv);
    if (options.metrics != NULL && (options.pool == NULL || status == CLI_OK))
        cli_metrics_print(&metrics);
    cli_metrics_free(&metrics);
    if (!json)
        return cli_flush(status);
    if (options.pool != NULL && status != CLI_OK) {
        json_decref(options.list);
        json_decref(options.damaged);
        return status;
    }
    int printed = cli_print_pools(options.list, options.damaged);
    return printed != CLI_OK ? printed : status;
}

const struct cli_command cli_status = {
    .name = "status",
    .synopsis = "[POOL] [--json | --openmetrics]",
    .about = "who holds a slot and who waits for one, in order",
    .run = run,
    .help =
        "  --json         one JSON object\n"
        "  --openmetrics  numbers for Prometheus and others that read OpenMetrics\n"
        "  --store S      where the pools live, instead of $BERTH_STORE\n"
        "\n"
        "Each process reports its pid and command itself. A process with several slots, or with a\n"
        "slot and a place in the queue (a build with a jobserver), is summed up at the end.\n"
        "\n"
        "Exit status: 0; 1 there is no such pool; 2 bad usage; 125 berth itself failed.\n",
};
