/* What the source files of the machine share. */
#ifndef BERTH_STORE_ETCD_MACHINE_PARTS_H
#define BERTH_STORE_ETCD_MACHINE_PARTS_H

#include "store/etcd/intake.h"
#include "store/etcd/machine.h"

#include "values.pb-c.h"

/* ---- machine.c ---- */

enum machine_next machine_done(struct machine *machine);
enum machine_next machine_fail(struct machine *machine, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Wait, and then do `later`. */
enum machine_next machine_pause(struct machine *machine, struct moment until,
                                enum machine_next (*later)(struct machine *, uint64_t now));
enum machine_next machine_granted(struct machine *machine, unsigned slot, int64_t token);
/* Begins a new machine->request, whose answer `read` reads, and which `send` repeats. */
bool machine_request(struct machine *machine, enum machine_next (*send)(struct machine *, uint64_t),
                     enum machine_next (*read)(struct machine *, uint64_t,
                                               const Etcd__TxnResponse *));
enum machine_next machine_no_memory(struct machine *machine);
/* This number of nanoseconds, plus or minus up to a half, at random. */
uint64_t machine_about(struct machine_seat *seat, uint64_t nanoseconds);
int64_t machine_wall_ms(const struct machine_seat *seat, uint64_t now);

/* ---- one function for each goal, and what the goals share ---- */

enum machine_next enter_send(struct machine *machine, uint64_t now);
enum machine_next acquire_send(struct machine *machine, uint64_t now);
enum machine_next recover_send(struct machine *machine, uint64_t now);
/* A name for what the machine puts into the store. */
void acquire_name(struct machine *machine);
enum machine_next retreat_send(struct machine *machine, uint64_t now);
enum machine_next audit_send(struct machine *machine, uint64_t now);
enum machine_next release_send(struct machine *machine, uint64_t now);
enum machine_next release_drop(struct machine *machine, uint64_t now);
enum machine_next resize_send(struct machine *machine, uint64_t now);
enum machine_next describe_send(struct machine *machine, uint64_t now);
enum machine_next door_enter_send(struct machine *machine, uint64_t now);
enum machine_next door_leave_send(struct machine *machine, uint64_t now);

/* Only looks whether mail has come: many may do so at once. */
enum machine_next look_send(struct machine *machine, uint64_t now);
/* The slot is in use: its key has to be deleted with it. */
void put_used(struct machine *machine, Etcd__TxnRequest *txn, unsigned slot);
void delete_used(struct machine *machine, Etcd__TxnRequest *txn, unsigned slot);
/* What goes with a slot: its mail, and the client's own key if it is leaving. */
void delete_others(struct machine *machine, Etcd__TxnRequest *txn);
/* Puts the client's own key. */
void put_client(struct machine *machine, Etcd__TxnRequest *txn, bool otherwise);

/* ---- view.c: a pool as a transaction showed it ---- */

enum { VIEW_WAITERS = 32 };

struct view {
    bool there;  /* the pool */
    bool broken; /* something in it is not as berth writes it */
    int64_t revision, pool_revision;
    unsigned slots, pool_ttl;
    size_t below;    /* slots that are held, without those that a resize has taken away */
    size_t orphaned; /* in use, and nobody holds them: a lease has ended; the same */
    unsigned char taken[BERTH_MAX_SLOTS / 8];
    int64_t used[BERTH_MAX_SLOTS]; /* the revision of the key that says so, or 0 */
    size_t waiters;                /* as many as there are */
    size_t first_count;            /* as many as were asked for */
    struct machine_served first[VIEW_WAITERS];
};

/* Asks for what view_read wants: four answers. `waiters`: the first of them, not only how many. */
enum { VIEW_ANSWERS = 4 };
void view_ask(struct build *build, Etcd__TxnRequest *txn, bool otherwise,
              const struct layout *layout, bool waiters);
void view_read(struct view *view, const struct layout *layout, int64_t revision,
               Etcd__ResponseOp *const *answers, size_t count);

/* How many slots are free: given back, or never used. */
size_t view_vacancies(const struct view *view);
/* The lowest free slot from `from` on; false: there is none. */
bool view_free(const struct view *view, unsigned from, unsigned *slot);
bool view_is_orphan(const struct view *view, unsigned slot);
void view_leave(struct view *view, unsigned slot); /* as if nobody held it */
/* The seat knows what the view shows. */
void view_take(struct machine_seat *seat, const struct view *view, uint64_t now);

/* The range that is an operation's answer, or NULL. */
const Etcd__RangeResponse *range_of(const Etcd__ResponseOp *answer);
/* The answer of a transaction whose one answer is a transaction's, or NULL. */
const Etcd__TxnResponse *nested_answer(const Etcd__TxnResponse *txn);
const Etcd__KeyValue *only_value(const Etcd__ResponseOp *answer);

/* ---- news.c: when to look at the pool ---- */

/* Waits in line at `rank`, until mail comes or it is time for an audit. */
enum machine_next wait_in_line(struct machine *machine, uint64_t now, uint64_t rank);
/* The same, at the rank and the times that are known. */
enum machine_next wait_as_planned(struct machine *machine);
/* Remembers whether there was anything to be given to those who wait. */
void news_see(struct machine_seat *seat, const struct view *view);
/* When the slot was orphaned whose key in use has the revision `used`, as far as that was told; or
 * `now`. A slot that is taken over has that key put again. */
uint64_t news_gone_at(const struct machine_seat *seat, unsigned slot, int64_t used, uint64_t now);

/* ---- orphans.c: slots whose holders' leases have ended ---- */

/* Remembers since when each of them is seen. */
void orphans_see(struct machine_seat *seat, const struct view *view, uint64_t now);
/* The lowest from `from` on that may be taken over; false: there is none. */
bool orphans_over(const struct machine_seat *seat, const struct view *view, uint64_t now,
                  unsigned from, unsigned *slot);
/* The lowest beyond the pool's slots that nobody counts on any more; false: there is none before
 * *next. */
bool orphans_beyond(const struct machine_seat *seat, const struct view *view, uint64_t now,
                    unsigned *slot, struct moment *next);
/* Deletes the key of one of those, and audits again. */
enum machine_next orphans_sweep(struct machine *machine, unsigned slot);
/* When the next of them may be. */
struct moment orphans_next(const struct machine_seat *seat, const struct view *view);
/* Takes one over, if it is the one that was seen, and nobody has done so before. */
void orphans_take(struct machine *machine, Etcd__TxnRequest *txn, unsigned slot);

/* ---- serve.c ---- */

/* Gives a slot that is free, or if there is none, one that is orphaned, to the first in line.
 * `holds`: the machine's own slot, with its token, is one of those, or goes. */
bool serve_build(struct machine *machine, uint64_t now, const struct view *view, bool holds);
/* Gives the machine's own slot to the one that is first in line by then. */
bool serve_pass(struct machine *machine, uint64_t now, const struct view *view);

#endif
