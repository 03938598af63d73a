#include "gpu/levels.h"

#include "check/symmetry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PART = 1 << 24,        /* states that are expanded by one launch, at most */
    SORTED = 1 << 20,      /* the same where their moves are sorted */
    FEW = 1 << 14,         /* with room for fewer, the table is made larger */
    TIMES = 6,             /* a table is this many times as large as the one before */
    ALL_VALUES = 1 << 24,  /* as in check/safety.c */
    BESIDES = 256 << 20,   /* bytes of the card's memory that are left alone */
    FIRST_TABLE = 2 << 20, /* bytes; or a thousandth of the memory, if that is more */
};
#define MAX_LOAD 0.87
#define MAX_LAST_LOAD 0.93 /* of the last table: searches get longer, and it gets further */

static const char *const kernel_names[] = {
#define KERNEL_NAME(name) #name,
    STEP_KERNELS(KERNEL_NAME)
#undef KERNEL_NAME
};

/* What the host sets and what the device does, within the structure that they share. */
#define OF_DEVICE offsetof(struct step_device, tail)

static bool send(struct gpu_search *search)
{
    return gpu_write(search->card, search->at, &search->device, OF_DEVICE);
}

static bool send_all(struct gpu_search *search)
{
    return gpu_write(search->card, search->at, &search->device, sizeof search->device);
}

static bool receive(struct gpu_search *search)
{
    return gpu_read(search->card, search->at + OF_DEVICE, (char *)&search->device + OF_DEVICE,
                    sizeof search->device - OF_DEVICE);
}

bool gpu_search_launch(struct gpu_search *search, enum gpu_kernel kernel, uint64_t first,
                       uint64_t count)
{
    search->device.first = first;
    search->device.count = count;
    return send(search) && gpu_launch(search->card, search->kernel[kernel], count, search->at) &&
           receive(search);
}

/* ---- memory ---- */

uint64_t gpu_search_take(struct gpu_search *search, uint64_t bytes)
{
    if (bytes > search->budget - search->used)
        return 0;
    const uint64_t address = gpu_take(search->card, bytes);
    if (address != 0)
        search->used += bytes;
    search->bytes = search->used > search->bytes ? search->used : search->bytes;
    return address;
}

void gpu_search_give(struct gpu_search *search, uint64_t address, uint64_t bytes)
{
    if (address == 0)
        return;
    gpu_give(search->card, address);
    search->used -= bytes;
}

// NOLINTNEXTLINE(performance-no-int-to-ptr): the other side's addresses
#define ON_CARD(type, address) ((type)(uintptr_t)(address))

static uint64_t piece_entries(const struct gpu_search *search)
{
    return UINT64_C(1) << search->device.log_shift;
}

static uint64_t piece_bytes(const struct gpu_search *search)
{
    return piece_entries(search) * sizeof(uint64_t);
}

/* Frees the oldest piece of the log, if all of it is before entry `needed`. */
static bool forget_piece(struct gpu_search *search, uint64_t needed, uint64_t *piece)
{
    const uint64_t oldest = search->held >> search->device.log_shift;
    if ((oldest + 1) * piece_entries(search) > needed || search->piece[oldest] == 0)
        return false;
    *piece = search->piece[oldest];
    search->piece[oldest] = 0;
    search->held = (oldest + 1) * piece_entries(search);
    return true;
}

/* Allocates the pieces of the log up to entry `end`; those before `needed` may be freed. */
static bool extend_log(struct gpu_search *search, uint64_t end, uint64_t needed)
{
    const uint64_t shift = search->device.log_shift;
    const uint64_t last = (end + piece_entries(search) - 1) >> shift;
    uint64_t first = last;
    if (last > STEP_LOG_PIECES)
        return false;
    while (first > 0 && first > search->held >> shift && search->piece[first - 1] == 0)
        first--;
    for (uint64_t p = first; p < last; p++) {
        search->piece[p] = gpu_search_take(search, piece_bytes(search));
        if (search->piece[p] == 0 && !forget_piece(search, needed, &search->piece[p]))
            return false;
    }
    return first == last || gpu_write(search->card, search->log_at + first * sizeof(uint64_t),
                                      search->piece + first, (last - first) * sizeof(uint64_t));
}

static uint64_t capacity_of(const struct gpu_search *search, uint64_t bytes)
{
    return bytes / (search->words * sizeof(uint64_t));
}

static int64_t room_in_table(const struct gpu_search *search)
{
    const double load = search->table_bytes < search->final_bytes ? MAX_LOAD : MAX_LAST_LOAD;
    return (int64_t)((double)search->device.capacity * load) - (int64_t)search->stored;
}

/* A larger table; the states move into it. False: there is no memory for one. `needed`: the first
 * entry of the log that is still needed. */
static bool grow(struct gpu_search *search, uint64_t needed, bool *failed)
{
    const uint64_t old_bytes = search->table_bytes;
    uint64_t bytes = old_bytes * TIMES;
    *failed = false;
    if (old_bytes >= search->final_bytes)
        return false;
    if (bytes > search->final_bytes || bytes * TIMES / 2 > search->final_bytes)
        bytes = search->final_bytes;
    uint64_t table = 0, piece;
    while ((table = gpu_search_take(search, bytes)) == 0 && forget_piece(search, needed, &piece))
        gpu_search_give(search, piece, piece_bytes(search));
    if (table == 0)
        return false;
    struct step_device *device = &search->device;
    device->other = device->slots;
    device->other_capacity = device->capacity;
    device->slots = ON_CARD(uint64_t *, table);
    device->capacity = capacity_of(search, bytes);
    *failed = !gpu_clear(search->card, table, bytes) ||
              !gpu_search_launch(search, GPU_rehash, 0, device->other_capacity) ||
              !gpu_search_launch(search, GPU_remap, search->held, device->tail - search->held);
    gpu_search_give(search, (uintptr_t)device->other, old_bytes);
    search->table_bytes = bytes;
    device->other = NULL;
    return !*failed;
}

/* ---- the start ---- */

/* The model as the card sees it: what it points to goes with it. */
static bool send_model(struct gpu_search *search)
{
    struct image {
        struct step_model model;
        struct protocol protocol;
        uint16_t neighbours[STEP_MAX_VERTICES];
    } *image = calloc(1, sizeof *image);
    if (image == NULL)
        return false;
    const uint64_t at = search->model_at = gpu_search_take(search, sizeof *image);
    image->model = *search->model;
    image->protocol = *search->model->protocol;
    if (image->model.params.neighbours != NULL)
        memcpy(image->neighbours, image->model.params.neighbours,
               image->model.params.n * sizeof image->neighbours[0]);
    image->model.protocol = ON_CARD(const struct protocol *, at + offsetof(struct image, protocol));
    image->model.params.neighbours =
        ON_CARD(const uint16_t *, at + offsetof(struct image, neighbours));
    for (unsigned p = 0; p < image->model.check.n; p++) {
        const size_t regions = p < check_workers(&image->model.check)
                                   ? offsetof(struct step_model, region)
                                   : offsetof(struct step_model, no_region);
        image->model.check.region[p] = ON_CARD(const uint8_t *, at + regions);
    }
    search->device.model = ON_CARD(const struct step_model *, at);
    const bool sent =
        at != 0 && gpu_write(search->card, at, image, sizeof *image) &&
        gpu_write(search->card, search->constant_at, &image->model, sizeof image->model);
    free(image);
    return sent;
}

static bool find_kernels(struct gpu_search *search, const char *name)
{
    char text[128];
    for (unsigned k = 0; k < GPU_KERNELS; k++) {
        snprintf(text, sizeof text, "berth_%s_%s", name, kernel_names[k]);
        search->kernel[k] = gpu_kernel(search->card, text);
        if (search->kernel[k] == NULL)
            return false;
    }
    snprintf(text, sizeof text, "berth_%s_model", name);
    search->constant_at = gpu_variable(search->card, text, sizeof(struct step_model));
    return search->constant_at != 0;
}

static bool no_memory(struct gpu_search *search)
{
    snprintf(search->card->error, sizeof search->card->error,
             "there is too little memory on %.100s", search->card->name);
    return false;
}

/* The tables that there will be, each TIMES as large as the one before, and the first of them. */
static bool open_table(struct gpu_search *search)
{
    const uint64_t w = search->words, left = search->budget - search->used;
    /* Beside the last table there is the log of two levels, and for a while the table before. */
    const uint64_t beside_log = left / 100 * 96 / (100 * w + 22) * 100 * w;
    const uint64_t beside_table = left / 100 * 96 / (TIMES + 1) * TIMES;
    search->final_bytes = beside_log < beside_table ? beside_log : beside_table;
    search->table_bytes = search->final_bytes;
    while (search->table_bytes > FIRST_TABLE && search->table_bytes > left / 1000)
        search->table_bytes /= TIMES;
    search->device.capacity = capacity_of(search, search->table_bytes);
    const uint64_t table = gpu_search_take(search, search->table_bytes);
    search->device.slots = ON_CARD(uint64_t *, table);
    return table != 0 && gpu_clear(search->card, table, search->table_bytes);
}

/* Where a step is a lot of code, as where there is a NORMAL section, neighbouring lanes should run
 * the same of it: moves are sorted by what they run. */
static bool open_sorting(struct gpu_search *search)
{
    const uint64_t bytes = STEP_KINDS_OF_MOVES * sizeof *search->kind;
    uint64_t part = SORTED;
    if (!search->sorts)
        return true;
    search->kind = malloc(bytes);
    search->kind_at = gpu_search_take(search, bytes);
    while (part > 1024 && (search->sorted_at = gpu_search_take(search, part * search->edges *
                                                                           sizeof(uint64_t))) == 0)
        part /= 2;
    search->part = part;
    search->device.kind = ON_CARD(uint64_t *, search->kind_at);
    search->device.sorted = ON_CARD(uint64_t *, search->sorted_at);
    return search->kind != NULL && search->kind_at != 0 && search->sorted_at != 0;
}

bool gpu_search_open(struct gpu_search *search, struct gpu_card *card, const char *text,
                     const char *name, const struct step_model *model,
                     const struct check_limits *limits)
{
    *search = (struct gpu_search){.card = card,
                                  .limits = limits,
                                  .model = model,
                                  .words = model->check.words,
                                  .edges = model->check.n * model->check.kinds,
                                  .start = check_clock()};
    search->reduced = limits->symmetry && check_symmetry_helps(&model->check);
    search->device.reduced = search->reduced;
    search->piece = calloc(STEP_LOG_PIECES, sizeof *search->piece);
    search->room = 1024;
    search->part = PART;
    search->sorts = model->normal != NULL;
    search->level = malloc(search->room * sizeof *search->level);
    if (search->piece == NULL || search->level == NULL)
        return no_memory(search);
    if (!gpu_load(card, text) || !find_kernels(search, name))
        return false;
    search->budget = UINT64_MAX; /* until it is known */
    search->at = gpu_search_take(search, sizeof search->device);
    search->log_at = gpu_search_take(search, STEP_LOG_PIECES * sizeof(uint64_t));
    search->device.log = ON_CARD(uint64_t *const *, search->log_at);
    if (search->at == 0 || search->log_at == 0)
        return no_memory(search);
    if (!send_model(search) || !send_all(search))
        return false;
    /* The driver sets memory aside for the lanes when a kernel is started for the first time. */
    for (unsigned k = 0; k < GPU_KERNELS; k++) {
        if (!gpu_search_launch(search, (enum gpu_kernel)k, 0, 0))
            return false;
    }
    const uint64_t free = gpu_free_memory(card);
    search->budget = search->used + (free > BESIDES + free / 64 ? free - BESIDES - free / 64 : 0);
    if (free <= BESIDES + free / 64)
        search->budget = search->used + free / 2;
    search->device.log_shift = 14; /* a piece is about a two-thousandth of the memory */
    while (search->device.log_shift < 23 && piece_bytes(search) < search->budget / 4000)
        search->device.log_shift++;
    return (open_sorting(search) && open_table(search)) || no_memory(search);
}

void gpu_search_close(struct gpu_search *search)
{
    for (unsigned p = 0; search->piece != NULL && p < STEP_LOG_PIECES; p++)
        gpu_give(search->card, search->piece[p]);
    gpu_give(search->card, (uintptr_t)search->device.slots);
    gpu_give(search->card, (uintptr_t)search->device.visited);
    gpu_give(search->card, search->at);
    gpu_give(search->card, search->log_at);
    gpu_give(search->card, search->model_at);
    gpu_give(search->card, search->seen_at);
    gpu_give(search->card, search->sorted_at);
    gpu_give(search->card, search->kind_at);
    free(search->kind);
    free(search->piece);
    free(search->level);
    search->piece = search->level = NULL;
}

/* ---- exploring ---- */

static bool add_level(struct gpu_search *search, uint64_t first)
{
    if (search->depth + 1 >= search->room) {
        uint64_t *level = realloc(search->level, search->room * 2 * sizeof *level);
        if (level == NULL)
            return false;
        search->level = level;
        search->room *= 2;
    }
    search->level[search->depth + 1] = first;
    return true;
}

/* The initial state, in the table and as the first entry of the log. */
static bool put_initial(struct gpu_search *search)
{
    const struct check_model *check = &search->model->check;
    uint64_t state[CHECK_MAX_WORDS], entry = 0;
    check->initial(check, state);
    if (search->reduced)
        check_canonical(check, state);
    memcpy(search->device.initial, state, search->words * sizeof *state);
    const uint64_t bytes = search->words * sizeof *state, at = gpu_search_take(search, bytes);
    if (search->words == 1)
        entry = state[0];
    search->device.other = ON_CARD(uint64_t *, at);
    search->device.other_capacity = 1;
    const bool put =
        at != 0 && extend_log(search, 1, 0) && gpu_write(search->card, at, state, bytes) &&
        gpu_write(search->card, search->piece[0], &entry, sizeof entry) &&
        gpu_search_launch(search, GPU_rehash, 0, 1) && gpu_search_launch(search, GPU_remap, 0, 1);
    gpu_search_give(search, at, bytes);
    search->device.other = NULL;
    search->device.tail = 1;
    search->level[0] = 0;
    search->level[1] = 1;
    search->depth = 0;
    search->held = 0;
    return put && send_all(search);
}

static void report(const struct gpu_search *search, uint64_t waiting)
{
    const struct check_limits *limits = search->limits;
    if (limits->progress == NULL)
        return;
    struct check_progress progress = {.phase = "exploring on the GPU",
                                      .states = search->stored,
                                      .frontier = waiting,
                                      .depth = search->depth,
                                      .bytes = search->used,
                                      .seconds = check_clock() - search->start};
    limits->progress(&progress, limits->progress_context);
}

static bool is_cut(struct gpu_search *search)
{
    const struct check_limits *limits = search->limits;
    if (limits->interrupts != NULL && atomic_load(limits->interrupts) > 0)
        search->end = CHECK_INTERRUPTED;
    else if (limits->seconds > 0 && check_clock() - search->start > limits->seconds)
        search->end = CHECK_OUT_OF_TIME;
    return search->end != CHECK_COMPLETE;
}

/* How many states of the `left` ones can be expanded now; 0: there is no room. */
static uint64_t next_part(struct gpu_search *search, uint64_t left, uint64_t needed, bool *failed)
{
    *failed = false;
    for (;;) {
        uint64_t part = left < search->part ? left : search->part;
        const int64_t room = room_in_table(search);
        const uint64_t fits = room <= 0 ? 0 : (uint64_t)room / search->edges;
        if (search->device.visited == NULL && fits < part && fits < FEW) {
            if (grow(search, needed, failed))
                continue;
            if (*failed)
                return 0;
        }
        if (search->device.visited == NULL)
            part = part < fits ? part : fits;
        while (part > 0 && !extend_log(search, search->device.tail + part * search->edges, needed))
            part /= 2;
        return part;
    }
}

/* Whether something was found that ends the search. */
static void note_finds(struct gpu_search *search)
{
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
        if (search->device.bad[p].found == 0)
            continue;
        if (search->bad_depth[p] == UINT64_MAX)
            search->bad_depth[p] = search->depth;
        if (search->limits->stop_at >> p & 1)
            search->end = CHECK_VIOLATED;
    }
    if (search->device.wrong.found != 0)
        search->end = CHECK_OUT_OF_RANGE;
}

/* Counts the moves of each kind, finds a place for each, and makes them in that order. */
bool gpu_search_sorted(struct gpu_search *search, uint64_t first, uint64_t count)
{
    const uint64_t bytes = STEP_KINDS_OF_MOVES * sizeof *search->kind;
    uint64_t moves = 0;
    if (!gpu_clear(search->card, search->kind_at, bytes) ||
        !gpu_search_launch(search, GPU_count, first, count) ||
        !gpu_read(search->card, search->kind_at, search->kind, bytes))
        return false;
    for (unsigned k = 0; k < STEP_KINDS_OF_MOVES; k++) {
        const uint64_t of = search->kind[k];
        search->kind[k] = moves;
        moves += of;
    }
    return gpu_write(search->card, search->kind_at, search->kind, bytes) &&
           gpu_search_launch(search, GPU_place, first, count) &&
           gpu_search_launch(search, GPU_move, 0, moves);
}

/* Expands the level that search->depth says. */
static bool explore_level(struct gpu_search *search)
{
    const uint64_t first = search->level[search->depth], last = search->level[search->depth + 1];
    const bool again = search->device.visited != NULL;
    for (uint64_t at = first; at < last && search->end == CHECK_COMPLETE;) {
        bool failed;
        const uint64_t before = search->device.tail;
        const uint64_t part = next_part(search, last - at, at, &failed);
        if (failed)
            return false;
        if (part == 0) {
            search->end = CHECK_OUT_OF_MEMORY;
            return true;
        }
        if (!(search->sorts ? gpu_search_sorted(search, at, part)
                            : gpu_search_launch(search, GPU_explore, at, part)))
            return false;
        at += part;
        if (again)
            continue;
        search->stored += search->device.tail - before;
        search->expanded += part;
        note_finds(search);
        report(search, last - at + search->device.tail - last);
        if (search->end == CHECK_COMPLETE)
            is_cut(search);
    }
    return true;
}

/* Level by level, until nothing is new, or `levels` of them have been expanded. */
static bool explore_levels(struct gpu_search *search, uint64_t levels)
{
    while (search->level[search->depth] < search->level[search->depth + 1] &&
           search->end == CHECK_COMPLETE && search->depth < levels) {
        if (!explore_level(search))
            return false;
        search->depth++;
        if (!add_level(search, search->device.tail))
            search->end = CHECK_OUT_OF_MEMORY;
    }
    return true;
}

/* Room for one byte for each value of each cell; without it, they are not counted. */
static void open_values(struct gpu_search *search)
{
    const struct check_model *check = &search->model->check;
    uint64_t count = 0;
    for (unsigned c = 0; c < check->cells; c++) {
        search->device.seen_first[c] = count;
        count += check->cell[c].field.values;
    }
    if (count > ALL_VALUES)
        return;
    search->seen_bytes = count + 1;
    search->seen_at = gpu_search_take(search, search->seen_bytes);
    if (search->seen_at != 0 && gpu_clear(search->card, search->seen_at, search->seen_bytes))
        search->device.seen = ON_CARD(uint8_t *, search->seen_at);
}

bool gpu_search_run(struct gpu_search *search, uint64_t asked, bool values)
{
    search->device.asked = asked;
    if (values)
        open_values(search);
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++)
        search->bad_depth[p] = UINT64_MAX;
    search->stored = 1;
    if (!put_initial(search) || !explore_levels(search, UINT64_MAX))
        return false;
    search->states = search->device.states;
    search->transitions = search->device.transitions;
    search->barred = search->device.barred > 0;
    return true;
}

/* From the beginning again, with a bit for each state that has been found once more. */
static bool begin_again(struct gpu_search *search)
{
    const uint64_t bytes = (search->device.capacity / 64 + 1) * sizeof(uint64_t);
    for (uint64_t p = 0; p < STEP_LOG_PIECES; p++) {
        gpu_search_give(search, search->piece[p], piece_bytes(search));
        search->piece[p] = 0;
    }
    if (search->device.visited == NULL)
        search->device.visited = ON_CARD(uint64_t *, gpu_search_take(search, bytes));
    if (search->device.visited == NULL ||
        !gpu_clear(search->card, (uintptr_t)search->device.visited, bytes))
        return false;
    search->device.asked = 0;
    search->device.seen = NULL;
    search->end = CHECK_COMPLETE;
    return put_initial(search);
}

bool gpu_search_hold(struct gpu_search *search, uint64_t level)
{
    if (search->depth >= level && search->level[level] >= search->held)
        return true;
    if ((search->device.visited == NULL || search->depth >= level) && !begin_again(search))
        return false;
    return explore_levels(search, level) && search->end == CHECK_COMPLETE &&
           search->depth == level && search->level[level] >= search->held;
}

uint64_t gpu_search_whole(struct gpu_search *search)
{
    const struct check_model *check = &search->model->check;
    struct step_device *device = &search->device;
    const uint64_t room = search->stored + search->stored / 4 + 1;
    const uint64_t bytes = room * search->words * sizeof(uint64_t);
    const uint64_t at = gpu_search_take(search, bytes);
    memset(device->mask, 0, sizeof device->mask);
    for (unsigned c = 0; c < check->cells; c++)
        device->mask[check->cell[c].field.word] |= check->cell[c].field.mask
                                                   << check->cell[c].field.shift;
    device->other = ON_CARD(uint64_t *, at);
    device->other_capacity = room;
    device->changed = 0;
    const bool counted = at != 0 && gpu_clear(search->card, at, bytes) && send_all(search) &&
                         gpu_search_launch(search, GPU_whole, 0, device->capacity);
    gpu_search_give(search, at, bytes);
    device->other = NULL;
    return counted ? device->changed : 0;
}
