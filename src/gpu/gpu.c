#include "gpu/gpu.h"

#include "check/decide.h"
#include "check/check.h"
#include "check/traits.h"
#include "gpu/levels.h"
#include "gpu/way.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(struct check_elsewhere *self, const char *text)
{
    ((struct gpu *)self)->message(text);
}

/* All that looks at states one by one, and no-slot-lost. */
static bool decides(const struct check_model *model, enum check_property property)
{
    return check_applies(model, property) && check_has_trait(model, property, CHECK_ON_DEVICE);
}

/* What a scan looks at while the states are found. */
static bool is_scanned(enum check_property property)
{
    return property != CHECK_VALUES && property != CHECK_NO_SLOT_LOST;
}

static void count_values(struct gpu_search *search, struct check_report *report)
{
    const struct check_model *check = &search->model->check;
    uint8_t *seen = search->device.seen == NULL ? NULL : malloc(search->seen_bytes);
    if (seen != NULL && gpu_read(search->card, search->seen_at, seen, search->seen_bytes)) {
        for (unsigned c = 0; c < check->cells; c++) {
            for (uint64_t v = 0; v < check->cell[c].field.values; v++)
                report->values[c] += seen[search->device.seen_first[c] + v];
        }
        if (check->one_variable && search->end == CHECK_COMPLETE)
            report->whole = gpu_search_whole(search);
    }
    free(seen);
}

/* As in check/check.c, from what has been counted. */
static void answer_values(const struct check_model *model, const struct check_report *report,
                          struct check_result *result)
{
    const bool complete = report->end == CHECK_COMPLETE;
    uint64_t most = report->whole;
    for (unsigned c = 0; c < model->cells && !model->one_variable; c++)
        most = report->values[c] > most ? report->values[c] : most;
    result->has_bound = most > 0 && complete;
    result->bound = result->has_bound ? most : 0;
    if (result->query.has_bound && most > result->query.bound)
        result->answer = CHECK_FAILS;
    else if (complete && most > 0)
        result->answer = CHECK_HOLDS;
}

static void answer_lost(struct gpu_search *search, struct check_result *result,
                        struct check_report *report)
{
    uint64_t level = 0, state[CHECK_MAX_WORDS];
    const int holds = gpu_search_lost(search, &level, state);
    if (holds > 0)
        result->answer = CHECK_HOLDS;
    if (holds == 0)
        gpu_show_lost(search, state, level, result, report);
}

static void answer(struct gpu_search *search, struct check_result *result,
                   struct check_report *report)
{
    const enum check_property property = result->query.property;
    const bool complete = report->end == CHECK_COMPLETE; /* the search may have begun again */
    if (property == CHECK_VALUES) {
        answer_values(&search->model->check, report, result);
        return;
    }
    if (property == CHECK_NO_SLOT_LOST) {
        if (complete)
            answer_lost(search, result, report);
        return;
    }
    if (search->device.bad[property].found != 0)
        gpu_show_state(search, search->device.bad[property].state, search->bad_depth[property],
                       result, report);
    else if (complete)
        result->answer = CHECK_HOLDS;
}

static void fill_report(const struct gpu_search *search, struct check_report *report)
{
    report->end = search->end;
    report->states = search->states;
    report->transitions = search->transitions;
    report->barred = search->barred;
    report->stored = search->stored;
    report->depth = search->depth;
    report->frontier = search->stored - search->expanded;
    report->reduced = search->reduced;
    report->search_bytes = search->bytes;
}

/* Explores and answers; false: the card failed, or had too little memory. */
static bool run_on_card(struct gpu *gpu, struct gpu_search *search, struct check_result *results,
                        size_t count, struct check_report *report)
{
    uint64_t asked = 0;
    bool values = false, found = false;
    const double start = check_clock();
    for (size_t q = 0; q < count; q++) {
        values |= results[q].query.property == CHECK_VALUES;
        if (is_scanned(results[q].query.property))
            asked |= UINT64_C(1) << results[q].query.property;
    }
    if (!gpu_search_run(search, asked, values))
        return false;
    gpu->seconds = check_clock() - start;
    gpu->stored = search->stored;
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++)
        found |= search->device.bad[p].found != 0;
    if (search->end == CHECK_OUT_OF_MEMORY && !found) {
        snprintf(gpu->card.error, sizeof gpu->card.error,
                 "the memory of %.80s was full after %llu states, at depth %llu", gpu->card.name,
                 (unsigned long long)search->stored, (unsigned long long)search->depth);
        return false;
    }
    fill_report(search, report);
    if (values)
        count_values(search, report);
    if (search->end == CHECK_OUT_OF_RANGE) {
        gpu_show_slip(search, search->device.wrong.state, report->depth - 1, report);
        return true;
    }
    for (size_t q = 0; q < count; q++)
        answer(search, &results[q], report);
    return true;
}

/*
 * The compiler emits kernels as ordinary functions, because C has no keyword for kernels. In a PTX
 * file the difference is one word: ".func" where it should be ".entry". Frees `text`; the name of
 * the protocol is between "berth_" and "_explore".
 */
static char *make_entries(char *text, char *name, size_t size, const char **why)
{
    static const char function[] = ".func berth_", entry[] = ".entry berth_";
    const size_t length = text == NULL ? 0 : strlen(text);
    size_t count = 0;
    if (text == NULL)
        return NULL;
    for (const char *at = text; (at = strstr(at, function)) != NULL; at += sizeof function - 1)
        count++;
    char *made = malloc(length + count + 1), *to = made;
    const char *from = text, *explore = strstr(text, "_explore(");
    const char *start = strstr(text, ".visible .func berth_");
    if (made == NULL || start == NULL || explore == NULL || start > explore) {
        *why = "the code for the GPU is damaged";
        free(made);
        free(text);
        return NULL;
    }
    start += strlen(".visible .func berth_");
    snprintf(name, size, "%.*s", (int)(explore - start), start);
    for (const char *at; (at = strstr(from, function)) != NULL;) {
        memcpy(to, from, (size_t)(at - from));
        to += at - from;
        memcpy(to, entry, sizeof entry - 1);
        to += sizeof entry - 1;
        from = at + sizeof function - 1;
    }
    memcpy(to, from, strlen(from) + 1);
    free(text);
    return made;
}

static bool run(struct check_elsewhere *self, const struct check_model *model,
                const struct check_limits *limits, const struct check_query *queries, size_t count,
                struct check_result *results, struct check_report *report)
{
    struct gpu *gpu = (struct gpu *)self;
    struct gpu_search *search = calloc(1, sizeof *search);
    const char *why = "there is no memory to begin with";
    char text[512];
    bool ran = false;
    const double start = check_clock();
    char name[64];
    char *kernels = search == NULL ? NULL : gpu->kernels(gpu->context, model->words, &why);
    kernels = make_entries(kernels, name, sizeof name, &why);
    for (size_t q = 0; q < count; q++)
        results[q].query = queries[q];
    if (kernels != NULL) {
        why = gpu->card.error;
        if (gpu_open(&gpu->card, &gpu->loader)) {
            const struct step_model *made = (const struct step_model *)model;
            if (gpu_search_open(search, &gpu->card, kernels, name, made, limits)) {
                gpu->compile_seconds = check_clock() - start;
                ran = run_on_card(gpu, search, results, count, report);
            }
            gpu_search_close(search);
            gpu_close(&gpu->card);
        }
    }
    gpu->used = ran;
    free(kernels);
    free(search);
    if (!ran) {
        snprintf(text, sizeof text, "%.400s; the CPU goes on", why);
        gpu->message(text);
    }
    return ran;
}

void gpu_prepare(struct gpu *gpu)
{
    gpu->elsewhere = (struct check_elsewhere){.decides = decides, .run = run, .say = say};
}
