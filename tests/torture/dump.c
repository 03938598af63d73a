#include "dump.h"

#include "pool/file.h"
#include "step/params.h"

#include <inttypes.h>

#define STEP_NATIVE
#define STEP_EMBEDDED
#define step_shared pool_file
#define SEAT_BITS (shared->geometry.seat_bits)
#define RING_BITS (shared->geometry.ring_bits)
#include "protocol/pool/bits.inc"

static const char *const calls[] = {"none",  "open",    "close",  "acquire", "try",
                                    "until", "release", "resize", "look"};

void dump_board(FILE *out, const struct board *board, unsigned places)
{
    for (unsigned i = 0; i < places; i++) {
        const struct board_place *place = &board->place[i];
        fprintf(out, "place %u: pid %d, life %" PRIu64 "\n", i, atomic_load(&place->pid),
                atomic_load(&place->life));
        for (unsigned k = 0; k < BOARD_THREADS; k++) {
            const uint64_t call = atomic_load(&place->thread[k].call);
            if (call != 0)
                fprintf(out, "  thread %u: in %s, after %" PRIu64 " calls\n", k,
                        calls[(call & 0xff) % 9], atomic_load(&place->thread[k].laps));
        }
    }
    for (unsigned j = 0; j < BOARD_SLOTS; j++) {
        const uint64_t holder = atomic_load(&board->slot[j].holder);
        if (holder != 0)
            fprintf(out, "page %u: place %" PRIu64 " thread %" PRIu64 " life %" PRIu64 "\n", j,
                    holder >> 8 & 0xff, holder & 0xff, holder >> 16);
    }
}

static void dump_view(FILE *out, const char *name, const berth_options *options)
{
    berth_view *view;
    const int error = berth_look(&view, name, options);
    if (error != 0) {
        fprintf(out, "berth_look: %d: %s\n", error, berth_reason());
        return;
    }
    fprintf(out, "berth_look: %u slots, %zu hold, %zu wait\n", view->slots, view->holder_count,
            view->waiter_count);
    for (size_t i = 0; i < view->holder_count; i++)
        fprintf(out, "  slot %u: pid %d\n", view->holders[i]->number, view->holders[i]->pid);
    for (size_t i = 0; i < view->waiter_count; i++)
        fprintf(out, "  waiter %u: pid %d\n", view->waiters[i]->number, view->waiters[i]->pid);
    berth_view_free(view);
}

static void dump_entry(FILE *out, const struct pool_file *shared, word ticket)
{
    static const char *const kinds[] = {"-",    "WAITS", "ASLEEP", "BOUND",
                                        "SLOT", "GONE",  "PASSED", "?"};
    const word e = atomic_load(&shared->ring[PLACE(ticket)]);
    fprintf(out, "  ticket %" PRIu64 ": round %" PRIu64 " (%" PRIu64 ") %s %" PRIu64 "\n", ticket,
            ROUND(e), ticket >> RING_BITS, kinds[e >> VALUE_BITS & 7], VALUE(e));
}

static void dump_words(FILE *out, const struct pool_file *shared)
{
    const word draw = atomic_load(&shared->control->draw);
    const word admission = atomic_load(&shared->control->admission);
    const word tail = TICKET(draw), admit = ADMIT(admission);
    fprintf(out,
            "T: tail %" PRIu64 " seat %" PRIu64 "   A: admit %" PRIu64 " slot %" PRIu64
            "   target %" PRIu64 "   ring %" PRIu64 "\n",
            tail, SEAT(draw), admit, SLOT_OF(admission), atomic_load(&shared->control->target),
            RING);
    for (unsigned j = 0; j < BOARD_SLOTS; j++) {
        const word s = atomic_load(&shared->slot[j]);
        fprintf(out, "slot[%u]: ticket %" PRIu64 " seat %" PRIu64 "%s\n", j, TICKET(s), SEAT(s),
                SEAT(s) == NOBODY                            ? " (nobody)"
                : pool_seat_alive(shared, (unsigned)SEAT(s)) ? " (alive)"
                                                             : " (dead)");
    }
    const word low = (tail < admit ? tail : admit), high = tail < admit ? admit : tail;
    for (word ticket = low - 4; ticket < high + 2 && ticket < low + 24; ticket++)
        dump_entry(out, shared, ticket);
}

void dump_pool(FILE *out, const char *store, const char *name)
{
    const berth_options options = {.store = store};
    struct pool_file file;
    dump_view(out, name, &options);
    if (pool_file_view(&file, name, &options) != 0)
        return;
    dump_words(out, &file);
    pool_file_close(&file);
}
