#include "walk.h"

#include "schedule_replay.h"

#include "check/decide.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 10000, LABELS = 256 };
#define SECONDS 10.0

static const enum check_property asked[] = {CHECK_EXCLUSION, CHECK_DISTINCT_SLOTS, CHECK_INVARIANTS,
                                            CHECK_OWN};
enum { ASKED = sizeof asked / sizeof asked[0] };

struct walk {
    const struct check_model *model;
    uint64_t random;
    uint8_t *edge; /* of this walk */
    size_t length;
    uint64_t walks, steps;
    unsigned labels; /* labels that a step has had, and which followed which in one process */
    char label[LABELS][32];
    uint8_t follows[LABELS][LABELS / 8];
    unsigned pairs;
    unsigned last[CHECK_MAX_PROCESSES]; /* LABELS: none yet */
    int violated;                       /* index in `asked`; -1: none */
    char slip[256];
};

static uint64_t next_random(uint64_t *state) /* xorshift64* */
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static unsigned label_number(struct walk *walk, const char *label)
{
    for (unsigned i = 0; i < walk->labels; i++) {
        if (strncmp(walk->label[i], label, sizeof walk->label[i] - 1) == 0)
            return i;
    }
    if (walk->labels + 1 == LABELS)
        return LABELS - 1;
    snprintf(walk->label[walk->labels], sizeof walk->label[0], "%s", label);
    return walk->labels++;
}

static void note_label(struct walk *walk, unsigned p, const char *label)
{
    const unsigned now = label_number(walk, label), before = walk->last[p];
    if (before < LABELS && (walk->follows[before][now / 8] >> now % 8 & 1) == 0) {
        walk->follows[before][now / 8] |= (uint8_t)(1U << now % 8);
        walk->pairs++;
    }
    walk->last[p] = now;
}

static int violated(const struct check_model *model, const uint64_t *state)
{
    for (unsigned a = 0; a < ASKED; a++) {
        if (check_state_breaks(model, state, asked[a]))
            return (int)a;
    }
    return -1;
}

/* One move, of any process; false: no process can move, or a slip was found. */
static bool move(struct walk *walk, uint64_t *state)
{
    const struct check_model *model = walk->model;
    const unsigned edges = model->n * model->kinds,
                   first = (unsigned)(next_random(&walk->random) >> 33);
    uint64_t next[CHECK_MAX_WORDS];
    for (unsigned i = 0; i < edges; i++) {
        const unsigned e = (first + i) % edges;
        struct check_note note = {.label = "", .cell = -1};
        /* Faults are rare, or nothing else would happen. */
        if (cli_edge_is_fault(model, e) && next_random(&walk->random) >> 58 != 0)
            continue;
        const bool made = model->describe(model, state, e, next, &note);
        if (note.slip != NULL) {
            snprintf(walk->slip, sizeof walk->slip, "P%u at %s %s", e % model->n, note.label,
                     note.slip);
            return false;
        }
        if (!made)
            continue;
        note_label(walk, e % model->n, note.label);
        memcpy(state, next, model->words * sizeof *state);
        walk->edge[walk->length++] = (uint8_t)e;
        walk->steps++;
        return true;
    }
    return false;
}

static void one_walk(struct walk *walk, unsigned steps)
{
    uint64_t state[CHECK_MAX_WORDS];
    walk->model->initial(walk->model, state);
    walk->length = 0;
    walk->walks++;
    for (unsigned p = 0; p < CHECK_MAX_PROCESSES; p++)
        walk->last[p] = LABELS;
    walk->violated = violated(walk->model, state);
    while (walk->violated < 0 && walk->length < steps && move(walk, state))
        walk->violated = violated(walk->model, state);
}

/* Labels that no step has had, of those that the file has. */
static unsigned print_missing(const struct walk *walk, const struct protocol_choice *choice,
                              bool print)
{
    unsigned all = 0;
    const struct protocol_model *model = choice->model;
    for (const struct step_mark *mark = model->marks; mark < model->marks_end; mark++) {
        bool earlier = strcmp(mark->word, "label") != 0, seen = false;
        for (const struct step_mark *other = model->marks; other < mark && !earlier; other++)
            earlier = strcmp(other->word, "label") == 0 && strcmp(other->text, mark->text) == 0;
        if (earlier)
            continue;
        all++;
        for (unsigned i = 0; i < walk->labels && !seen; i++)
            seen = strncmp(walk->label[i], mark->text, sizeof walk->label[i] - 1) == 0;
        if (!seen && print)
            printf(" %s", mark->text);
    }
    return all;
}

static void print_text(const struct walk *walk, const struct protocol_choice *choice,
                       const struct step_model *model, unsigned seed)
{
    char name[128];
    protocol_full_name(choice, name, sizeof name);
    printf("%s  n=%u, simulated, seed %u\n%llu walks, %llu steps\n", name, model->params.n, seed,
           (unsigned long long)walk->walks, (unsigned long long)walk->steps);
    printf("labels: %u taken, of %u that the file has; %u pairs in a row\n", walk->labels,
           print_missing(walk, choice, false), walk->pairs);
    printf("never taken:");
    print_missing(walk, choice, true);
    putchar('\n');
    const struct check_witness run = {walk->edge, walk->length, walk->length};
    if (walk->violated >= 0 || walk->slip[0] != '\0') {
        if (walk->violated >= 0)
            printf("\n%s fails, after %zu steps\n", check_property_name(asked[walk->violated]),
                   walk->length);
        else
            printf("\nnot a step: %s\n", walk->slip);
        cli_run_text(stdout, &model->check, &run);
        printf("\nrefuted\n");
    } else {
        printf("\nno violation was found, and nothing is proved\nincomplete: simulated\n");
    }
}

static json_t *walk_json(const struct walk *walk, const struct protocol_choice *choice,
                         const struct step_model *model, unsigned seed)
{
    char name[128];
    protocol_full_name(choice, name, sizeof name);
    const struct check_witness run = {walk->edge, walk->length, walk->length};
    const bool found = walk->violated >= 0 || walk->slip[0] != '\0';
    return json_pack("{s:s, s:i, s:b, s:i, s:I, s:I, s:i, s:i, s:i, s:s?, s:o*, s:s}", "protocol",
                     name, "n", (int)model->params.n, "simulated", 1, "seed", (int)seed, "walks",
                     (json_int_t)walk->walks, "steps", (json_int_t)walk->steps, "labels",
                     (int)walk->labels, "labels_of", (int)print_missing(walk, choice, false),
                     "label_pairs", (int)walk->pairs, "violated",
                     walk->violated >= 0     ? check_property_name(asked[walk->violated])
                     : walk->slip[0] != '\0' ? walk->slip
                                             : NULL,
                     "run", found ? cli_run_json(&model->check, &run) : NULL, "verdict",
                     found ? "refuted" : "incomplete");
}

int cli_walk(const struct protocol_choice *choice, const struct step_model *model,
             const struct cli_walks *walks, const _Atomic(unsigned) *interrupts, bool json)
{
    const unsigned steps = walks->steps > 0 ? walks->steps : STEPS;
    const double end = check_clock() + (walks->seconds > 0 ? walks->seconds : SECONDS);
    struct walk *walk = calloc(1, sizeof *walk);
    uint8_t *edge = malloc(steps);
    if (walk == NULL || edge == NULL) {
        free(walk);
        free(edge);
        return cli_error(CLI_FAILED, "out of memory");
    }
    walk->model = &model->check;
    walk->edge = edge;
    walk->random = UINT64_C(0x9e3779b97f4a7c15) * (walks->seed + UINT64_C(1));
    do {
        one_walk(walk, steps);
    } while (walk->violated < 0 && walk->slip[0] == '\0' && check_clock() < end &&
             atomic_load(interrupts) == 0);
    const bool found = walk->violated >= 0 || walk->slip[0] != '\0';
    int status = found ? CLI_OTHERWISE : CLI_INCOMPLETE;
    if (json) {
        const int printed = cli_print_json(walk_json(walk, choice, model, walks->seed));
        status = printed != CLI_OK ? printed : status;
    } else {
        print_text(walk, choice, model, walks->seed);
        status = cli_flush(status);
    }
    free(edge);
    free(walk);
    return status;
}
