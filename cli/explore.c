/*
 * berth explore: a person plays the scheduler. The page of berth trace, served on the loopback
 * interface; it sends the whole schedule so far, and gets the run that it makes, with the moves
 * that are possible at its end. So nothing is kept here from one request to the next, and to undo
 * is to send a shorter schedule.
 *
 * A request without the random token in the address is refused; so is one from a foreign page whose
 * name resolves to 127.0.0.1 (DNS rebinding), since Host and Origin have to be ours.
 */
#include "http.h"
#include "own_file.h"
#include "page.h"
#include "paper_options.h"
#include "protocol_options.h"
#include "suggest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_MOVES = 10000, MOST_AT_ONCE = 1000, TOKEN = 32 };

struct explorer {
    struct cli_subject subject;
    struct step_model model;
    struct cli_outlook outlook;
    unsigned port;
    char token[TOKEN + 1];
    char host[2][64]; /* as a browser calls us */
    struct http_request request;
};

/* ---- what the page asks for ---- */

/* What the page wants to be done after the moves that it has sent. */
struct wish {
    const char *go; /* "", "fair", "break" or "out" */
    unsigned count, victim;
    bool faults;
    uint64_t seed;
};

/* Goes on as is wished; what there is to say about that is a string, or NULL. */
static const char *go_on(const struct explorer *explorer, const struct wish *wish,
                         struct cli_schedule *schedule, struct cli_replay *replay)
{
    struct cli_scheduler scheduler = {.random = wish->seed};
    const size_t most = schedule->length + wish->count;
    if (strcmp(wish->go, "break") == 0) {
        if (!explorer->outlook.known)
            return "Nobody knows: there are too many states to look at them all.";
        switch (cli_outlook_break(&explorer->outlook, replay->state, wish->faults, schedule)) {
        case CLI_BREAKS: return NULL;
        case CLI_NEVER_BREAKS:
            return "Nothing that can happen from here breaks anything: all states were looked at.";
        case CLI_BREAKS_UNKNOWN:
        default: return "Nobody knows: there is too little memory to look at all states.";
        }
    }
    const bool out = strcmp(wish->go, "out") == 0;
    while ((out || strcmp(wish->go, "fair") == 0) && schedule->length < most) {
        if (out ? !cli_schedule_against(schedule, replay, &scheduler, wish->victim)
                : !cli_schedule_fair(schedule, replay, &scheduler))
            return "Nobody can move.";
        if (out && check_region_of(replay->model, replay->state, wish->victim) == CHECK_CRITICAL)
            return "It could not be kept out any longer: nobody else had anything to do.";
    }
    return NULL;
}

/* The data of the run that the schedule makes; NULL: *status says why. */
static json_t *play(const struct explorer *explorer, const char *text, const struct wish *wish,
                    bool sources, int *status)
{
    const struct check_model *model = &explorer->model.check;
    struct cli_schedule schedule = {0};
    struct cli_replay replay;
    struct cli_page page;
    char wrong[128];
    json_t *data = NULL;
    *status = 400;
    cli_replay_begin(&replay, model);
    if (cli_schedule_parse(&schedule, model, text, wrong, sizeof wrong) != NULL ||
        schedule.length > MOST_MOVES)
        goto end;
    for (size_t s = 0; s < schedule.length; s++) {
        if (!cli_replay_move(&replay, schedule.edge[s]))
            goto end;
    }
    const char *note = go_on(explorer, wish, &schedule, &replay);
    if (schedule.length > MOST_MOVES)
        schedule.length = MOST_MOVES;
    const struct check_witness run = {schedule.edge, schedule.length, schedule.length};
    cli_page_begin(&page, &explorer->subject.choice, &explorer->model, &explorer->outlook);
    cli_page_add(&page, &run, NULL, true);
    data = cli_page_end(&page, sources);
    char *whole = cli_schedule_text(model, schedule.edge, schedule.length);
    if (data == NULL || whole == NULL ||
        json_object_set_new(data, "schedule", json_string(whole)) != 0 ||
        json_object_set_new(data, "note", json_string(note == NULL ? "" : note)) != 0) {
        json_decref(data);
        data = NULL;
        *status = 503;
    }
    free(whole);
end:
    cli_schedule_free(&schedule);
    return data;
}

/* ---- answers ---- */

static void answer_page(const struct explorer *explorer, int connection)
{
    static const struct wish nothing = {.go = ""};
    int status;
    char *text = NULL;
    size_t length = 0;
    json_t *data = play(explorer, "", &nothing, true, &status);
    FILE *stream = open_memstream(&text, &length);
    bool written = stream != NULL && data != NULL && cli_page_write(stream, data);
    if (stream != NULL)
        written = fclose(stream) == 0 && written;
    if (written)
        http_answer(connection, 200, "text/html; charset=utf-8", text, length);
    else
        http_answer(connection, 503, NULL, NULL, 0);
    free(text);
}

static void answer_play(const struct explorer *explorer, int connection)
{
    const struct check_model *model = &explorer->model.check;
    const char *schedule = NULL, *go = "";
    int count = 0, victim = 0, faults = 0, status = 400;
    json_int_t seed = 1;
    json_t *body = json_loads(explorer->request.body, JSON_REJECT_DUPLICATES, NULL), *data = NULL;
    if (body != NULL &&
        json_unpack(body, "{s:s, s?s, s?i, s?i, s?b, s?I}", "schedule", &schedule, "go", &go,
                    "count", &count, "victim", &victim, "faults", &faults, "seed", &seed) == 0 &&
        count >= 0 && count <= MOST_AT_ONCE && victim >= 0 && (unsigned)victim < model->n) {
        const struct wish wish = {.go = go,
                                  .count = (unsigned)count,
                                  .victim = (unsigned)victim,
                                  .faults = faults != 0,
                                  .seed = (uint64_t)seed | 1};
        data = play(explorer, schedule, &wish, false, &status);
    }
    char *text = data == NULL ? NULL : json_dumps(data, JSON_COMPACT);
    if (text != NULL)
        http_answer(connection, 200, "application/json", text, strlen(text));
    else
        http_answer(connection, data == NULL ? status : 503, NULL, NULL, 0);
    free(text);
    json_decref(data);
    json_decref(body);
}

static bool is_ours(const struct explorer *explorer, const char *text, const char *before)
{
    const size_t length = strlen(before);
    return strncmp(text, before, length) == 0 && (strcmp(text + length, explorer->host[0]) == 0 ||
                                                  strcmp(text + length, explorer->host[1]) == 0);
}

/* Compares in constant time. */
static bool has_token(const struct explorer *explorer, const char *path)
{
    unsigned differs = 0;
    if (strlen(path) < 1 + TOKEN + 1 || path[1 + TOKEN] != '/')
        return false;
    for (size_t c = 0; c < TOKEN; c++)
        differs |= (unsigned)(path[1 + c] ^ explorer->token[c]);
    return differs == 0;
}

static void answer(struct explorer *explorer, int connection)
{
    struct http_request *request = &explorer->request;
    int status = http_receive(connection, request);
    if (status < 0)
        return;
    const char *rest = request->path + 1 + TOKEN + 1;
    if (status == 0 &&
        (!is_ours(explorer, request->host, "") ||
         (*request->origin != '\0' && !is_ours(explorer, request->origin, "http://"))))
        status = 403;
    else if (status == 0 && !has_token(explorer, request->path))
        status = 404;
    else if (status == 0 && *rest == '\0' && strcmp(request->method, "GET") == 0)
        answer_page(explorer, connection);
    else if (status == 0 && strcmp(rest, "play") == 0 && strcmp(request->method, "POST") == 0)
        answer_play(explorer, connection);
    else if (status == 0)
        status = *rest == '\0' || strcmp(rest, "play") == 0 ? 405 : 404;
    if (status > 0)
        http_answer(connection, status, NULL, NULL, 0);
    http_request_free(request);
}

/* ---- the command ---- */

static bool make_token(char *token)
{
    unsigned char bytes[TOKEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t b = 0; b < sizeof bytes; b++)
        sprintf(token + 2 * b, "%02x", bytes[b]);
    return true;
}

static int serve(struct explorer *explorer)
{
    if (!make_token(explorer->token))
        return cli_error(CLI_FAILED, "no random numbers: %s", strerror(errno));
    const int listener = http_listen(&explorer->port);
    if (listener < 0)
        return cli_error(CLI_FAILED, "cannot listen on 127.0.0.1 port %u: %s", explorer->port,
                         strerror(errno));
    static const char *const names[] = {"127.0.0.1", "localhost"};
    for (size_t h = 0; h < 2; h++)
        snprintf(explorer->host[h], sizeof explorer->host[h], "%s:%u", names[h], explorer->port);
    printf("http://127.0.0.1:%u/%s/\n", explorer->port, explorer->token);
    int status = cli_flush(CLI_OK);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "Open this address in a browser on this machine; Ctrl-C ends it.\n");
    while (status == CLI_OK) {
        const int connection = http_accept(listener);
        if (connection >= 0) {
            answer(explorer, connection);
            shutdown(connection, SHUT_WR);
            close(connection);
        } else if (errno != EINTR && errno != ECONNABORTED) {
            status = cli_error(CLI_FAILED, "cannot accept: %s", strerror(errno));
        }
    }
    close(listener);
    return status;
}

static const struct option long_options[] = {
    CLI_SUBJECT_LONG,
    {"port", required_argument, NULL, 'p'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int parse(int argc, char **argv, struct explorer *explorer, bool *help)
{
    int option;
    const struct option *table = cli_paper_options(&cli_explore, long_options);
    if (table == NULL)
        return CLI_USAGE;
    opterr = 0;
    cli_subject_begin(&explorer->subject);
    while ((option = getopt_long(argc, argv, CLI_SUBJECT_SHORT "h", table, NULL)) != -1) {
        const enum cli_taken taken =
            cli_subject_option(&explorer->subject, &cli_explore, option, optarg);
        if (taken == CLI_BAD)
            return CLI_USAGE;
        if (option == 'p' && !cli_number(optarg, 1, 65535, &explorer->port))
            return cli_usage(&cli_explore, "not a port: %s", optarg);
        if (taken == CLI_TAKEN || option == 'p')
            continue;
        *help = option == 'h';
        if (!*help)
            return cli_unknown_option(&cli_explore, argv);
        return CLI_OK;
    }
    if (optind + 1 != argc)
        return cli_usage(&cli_explore,
                         optind == argc ? "a protocol is missing" : "one protocol at a time");
    return cli_subject_resolve(&explorer->subject, argv[optind]);
}

static int run(int argc, char **argv)
{
    static struct explorer explorer;
    bool help = false;
    int status = parse(argc, argv, &explorer, &help);
    if (status != CLI_OK)
        return status;
    if (help)
        return cli_help(&cli_explore);
    const char *error =
        explorer.subject.choice.model->make(&explorer.model, &explorer.subject.params);
    if (error != NULL)
        return cli_cannot_make(&explorer.subject.choice, &explorer.model, error);
    cli_outlook_open(&explorer.outlook, &explorer.model.check);
    status = serve(&explorer);
    cli_outlook_close(&explorer.outlook);
    return status;
}

const struct cli_command cli_explore = {
    .name = "explore",
    .synopsis = "PROTOCOL[/VARIANT] [OPTION...]",
    .about = "play the scheduler of a protocol, in a browser",
    .run = run,
    CLI_TAKES_PAPER_OPTIONS,
    .help = CLI_SUBJECT_HELP
    "  --port N         listen there; the default is any that is free\n"
    "\n"
    "Prints the address of a page, served on 127.0.0.1 to anyone who knows the address, until it\n"
    "is interrupted.\n" CLI_OWN_FILE_HELP
    "Exit status: 2 bad usage, 3 too large for a packed state, 125 berth itself failed.\n",
};
