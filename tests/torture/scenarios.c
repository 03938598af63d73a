/*
 * The victim is actor V; A, B and C are the others. Any line that says something about V may find
 * it dead: then what it is told is lost, and the play goes on without it. Where a play needs the
 * victim at a certain place, it arms it to stop there.
 */
#include "scenarios.h"

enum { V = VICTIM, A, B, C };

enum {
    ROUND = 4200,     /* more than the ring of a small pool has entries */
    RING_FULL = 4100, /* more than can be drawn while nobody is admitted */
};

static void open_all(struct stage *stage, unsigned others)
{
    for (unsigned who = 1; who <= others; who++)
        act(stage, who, TO_OPEN, 0);
    act(stage, V, TO_OPEN, 0);
}

/* Waits for the slot, asleep. */
static void queue_up(struct stage *stage, unsigned who)
{
    tell(stage, who, TO_ACQUIRE, 0);
    fall_asleep(stage, who);
}

static void alone(struct stage *stage)
{
    open_all(stage, 0);
    act(stage, V, TO_ACQUIRE, 0);
    act(stage, V, TO_ACQUIRE, 0);
    act(stage, V, TO_TRY, 0);
    act(stage, V, TO_RELEASE, 0);
    act(stage, V, TO_RELEASE, 0);
    act(stage, V, TO_TRY, 0);
    act(stage, V, TO_CLOSE, 0);
}

static void hand_over(struct stage *stage)
{
    open_all(stage, 1);
    act(stage, V, TO_ACQUIRE, 0);
    queue_up(stage, A);
    act(stage, V, TO_RELEASE, 0);
    act(stage, A, TO_RELEASE, 0);
    act(stage, V, TO_CLOSE, 0);
}

static void wait_in_line(struct stage *stage)
{
    open_all(stage, 2);
    act(stage, A, TO_ACQUIRE, 0);
    queue_up(stage, B);
    queue_up(stage, V);
    act(stage, A, TO_RELEASE, 0);
    finish(stage, B);
    act(stage, B, TO_RELEASE, 0);
    finish(stage, V);
    act(stage, V, TO_RELEASE, 0);
}

static void holder_dies(struct stage *stage)
{
    open_all(stage, 2);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, B, TO_ACQUIRE, 0);
    queue_up(stage, V);
    kill_actor(stage, A);
    finish(stage, V);
    act(stage, V, TO_RELEASE, 0);
    act(stage, B, TO_RELEASE, 0);
}

/* The process that hands the slot on is killed as soon as it has: the rest is for the waiter to
 * do. */
static void releaser_dies(struct stage *stage)
{
    stage_arm(stage, A, DIES_THERE, "R5+", 1);
    open_all(stage, 1);
    act(stage, A, TO_ACQUIRE, 0);
    queue_up(stage, V);
    act(stage, A, TO_RELEASE, 0);
    finish(stage, V);
    act(stage, V, TO_RELEASE, 0);
}

/* Draws a ticket, and is killed before anybody can know. */
static void drawer_dies(struct stage *stage)
{
    stage_arm(stage, A, DIES_THERE, "D3+", 1);
    open_all(stage, 1);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, V, TO_ACQUIRE, 0);
    act(stage, V, TO_TRY, 0);
    act(stage, V, TO_RELEASE, 0);
    act(stage, V, TO_RELEASE, 0);
}

static void waiter_dies(struct stage *stage)
{
    open_all(stage, 2);
    act(stage, A, TO_ACQUIRE, 0);
    queue_up(stage, B);
    queue_up(stage, V);
    kill_actor(stage, B);
    act(stage, A, TO_RELEASE, 0);
    finish(stage, V);
    act(stage, V, TO_RELEASE, 0);
}

static void hands_to_the_dead(struct stage *stage)
{
    open_all(stage, 2);
    act(stage, V, TO_ACQUIRE, 0);
    queue_up(stage, A);
    queue_up(stage, B);
    kill_actor(stage, A);
    act(stage, V, TO_RELEASE, 0);
    finish(stage, B);
    act(stage, B, TO_RELEASE, 0);
}

static void gives_up(struct stage *stage)
{
    open_all(stage, 1);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, V, TO_WAIT_FOR, 2);
    act(stage, V, TO_WAIT_FOR, 0);
    act(stage, A, TO_RELEASE, 0);
    act(stage, V, TO_ACQUIRE, 0);
    act(stage, V, TO_RELEASE, 0);
}

static void gives_up_too_late(struct stage *stage)
{
    stage_arm(stage, V, STOPS, "W4", 1);
    open_all(stage, 1);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, V, TO_WAIT_FOR, 2);
    act(stage, A, TO_RELEASE, 0);
    continue_actor(stage, V);
    finish(stage, V);
    act(stage, V, TO_RELEASE, 0);
}

/* Three have given up, and then somebody waits. */
static void hands_past_who_gave_up(struct stage *stage)
{
    open_all(stage, 2);
    act(stage, V, TO_ACQUIRE, 0);
    act(stage, A, TO_GIVE_UP, 3);
    queue_up(stage, B);
    act(stage, V, TO_RELEASE, 0);
    finish(stage, B);
    act(stage, B, TO_RELEASE, 0);
    act(stage, V, TO_ACQUIRE, 0);
    act(stage, A, TO_GIVE_UP, 2);
    act(stage, V, TO_RELEASE, 0); /* and nobody */
}

/* V comes after one that gave up, and takes its place when it looks. */
static void closes_ranks(struct stage *stage)
{
    open_all(stage, 2);
    act(stage, A, TO_ACQUIRE, 0);
    queue_up(stage, B);
    act(stage, C, TO_OPEN, 0);
    act(stage, C, TO_GIVE_UP, 2);
    tell(stage, V, TO_WAIT_FOR, 30);
    finish(stage, V);
    act(stage, A, TO_RELEASE, 0);
    finish(stage, B);
    act(stage, B, TO_RELEASE, 0);
    act(stage, V, TO_ACQUIRE, 0);
    act(stage, V, TO_RELEASE, 0);
}

/* The same, and both places are admitted before V has left its own. */
static void has_two_places(struct stage *stage)
{
    stage_arm(stage, V, STOPS, "W6+", 1);
    open_all(stage, 2);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, B, TO_GIVE_UP, 1);
    tell(stage, V, TO_ACQUIRE, 0);
    finish(stage, V);
    act(stage, A, TO_RELEASE, 0);
    act(stage, A, TO_RELEASE, 0);
    continue_actor(stage, V);
    finish(stage, V);
    act(stage, V, TO_RELEASE, 0);
}

/* V waits and stops at the point; then it gets a slot, and the others go round the whole ring. They
 * leave one free, or hardly anything would be written there. */
static void ring_comes_round_at(struct stage *stage, const char *point, enum command command,
                                unsigned argument)
{
    stage_arm(stage, V, STOPS, point, 1);
    open_all(stage, 3);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, B, TO_ACQUIRE, 0);
    act(stage, C, TO_ACQUIRE, 0);
    act(stage, V, command, argument);
    act(stage, A, TO_RELEASE, 0);
    act(stage, C, TO_RELEASE, 0);
    act(stage, B, TO_GO_ROUND, ROUND);
    continue_actor(stage, V);
    finish(stage, V);
    act(stage, V, TO_RELEASE, 0);
}

/* V has drawn and does not know yet that it waits. */
static void ring_comes_round(struct stage *stage)
{
    ring_comes_round_at(stage, "W1", TO_ACQUIRE, 0);
}

/* V is about to give up, having seen that it is not admitted. */
static void ring_comes_round_too_late(struct stage *stage)
{
    ring_comes_round_at(stage, "W4", TO_WAIT_FOR, 2);
}

/* The same with a ticket that had a free slot. */
static void ring_comes_round_early(struct stage *stage)
{
    stage_arm(stage, V, STOPS, "D4", 1);
    open_all(stage, 1);
    act(stage, V, TO_ACQUIRE, 0);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, A, TO_GO_ROUND, ROUND);
    continue_actor(stage, V);
    finish(stage, V);
    act(stage, V, TO_RELEASE, 0);
}

/* And when V has two places, and has left neither. */
static void ring_comes_round_twice(struct stage *stage)
{
    stage_arm(stage, V, STOPS, "W6+", 1);
    open_all(stage, 3);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, B, TO_ACQUIRE, 0);
    act(stage, B, TO_ACQUIRE, 0);
    act(stage, C, TO_GIVE_UP, 1);
    tell(stage, V, TO_ACQUIRE, 0);
    finish(stage, V);
    act(stage, A, TO_RELEASE, 0);
    act(stage, A, TO_RELEASE, 0);
    act(stage, B, TO_RELEASE, 0);
    act(stage, B, TO_GO_ROUND, ROUND);
    continue_actor(stage, V);
    finish(stage, V);
    act(stage, V, TO_RELEASE, 0);
    for (unsigned grants = 0; grants < 3; grants++) /* all but B's */
        act(stage, A, TO_ACQUIRE, 0);
}

static void ring_is_full(struct stage *stage)
{
    open_all(stage, 2);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, B, TO_GIVE_UP, RING_FULL);
    queue_up(stage, V);             /* in the place of the last that gave up */
    tell(stage, B, TO_WAIT_FOR, 5); /* at the door */
    finish(stage, B);
    act(stage, A, TO_RELEASE, 0);
    finish(stage, V);
    act(stage, V, TO_RELEASE, 0);
}

/* And here V is the one at the door. */
static void no_place_in_the_ring(struct stage *stage)
{
    open_all(stage, 2);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, B, TO_GIVE_UP, RING_FULL);
    queue_up(stage, B); /* in the last place */
    act(stage, V, TO_TRY, 0);
    act(stage, V, TO_WAIT_FOR, 5);
    act(stage, A, TO_RELEASE, 0);
    finish(stage, B);
    act(stage, B, TO_RELEASE, 0);
    act(stage, V, TO_ACQUIRE, 0);
    act(stage, V, TO_RELEASE, 0);
}

/* To try is not to wait, even if the last place would do for a waiter. */
static void tries_at_a_full_ring(struct stage *stage)
{
    open_all(stage, 2);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, B, TO_GIVE_UP, RING_FULL);
    act(stage, V, TO_TRY, 0);
    act(stage, A, TO_RELEASE, 0);
    act(stage, V, TO_TRY, 0);
    act(stage, V, TO_RELEASE, 0);
}

/* Two seats; the former owner of V's held a slot, and waited for another. */
static void seat_of_the_dead(struct stage *stage)
{
    act(stage, A, TO_OPEN, 0);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, B, TO_OPEN, 0);
    act(stage, B, TO_ACQUIRE, 0);
    queue_up(stage, B);
    kill_actor(stage, B);
    act(stage, V, TO_OPEN, 0);
    act(stage, V, TO_ACQUIRE, 0);
    act(stage, V, TO_RELEASE, 0);
    act(stage, A, TO_RELEASE, 0);
    act(stage, V, TO_CLOSE, 0);
}

/* The slot of the dead one is wanted no more, at first. */
static void seat_of_the_dead_resized(struct stage *stage)
{
    stage_arm(stage, V, STOPS, "S7+", 1);
    act(stage, A, TO_OPEN, 0);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, B, TO_OPEN, 0);
    act(stage, B, TO_ACQUIRE, 0);
    kill_actor(stage, B);
    act(stage, A, TO_RESIZE, 1);
    act(stage, V, TO_OPEN, 0);
    act(stage, A, TO_RESIZE, 2);
    continue_actor(stage, V);
    finish(stage, V);
    act(stage, V, TO_ACQUIRE, 0);
    act(stage, V, TO_RELEASE, 0);
    act(stage, A, TO_RELEASE, 0);
}

static void closes_with_slots(struct stage *stage)
{
    open_all(stage, 1);
    act(stage, V, TO_ACQUIRE, 0);
    act(stage, V, TO_ACQUIRE, 0);
    queue_up(stage, A);
    act(stage, V, TO_CLOSE, 0);
    finish(stage, A);
    act(stage, A, TO_RELEASE, 0);
}

static void resizes(struct stage *stage)
{
    open_all(stage, 3);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, B, TO_ACQUIRE, 0);
    kill_actor(stage, B);
    act(stage, V, TO_RESIZE, 4); /* one held, one of the dead, two that are new */
    act(stage, V, TO_RESIZE, 1);
    act(stage, V, TO_RESIZE, 0);
    queue_up(stage, C);
    act(stage, V, TO_RESIZE, 3);
    act(stage, A, TO_RESIZE, 3); /* V may be dead, and C shall not wait for ever */
    finish(stage, C);
    act(stage, C, TO_RELEASE, 0);
    act(stage, A, TO_RELEASE, 0);
}

/* A free slot that is wanted no more when V draws it, and again after V has written that. */
static void free_slot_unwanted(struct stage *stage)
{
    stage_arm(stage, V, STOPS, "X2+", 1);
    open_all(stage, 1);
    act(stage, A, TO_RESIZE, 1);
    act(stage, V, TO_ACQUIRE, 0);
    act(stage, V, TO_WAIT_FOR, 3);
    act(stage, A, TO_RESIZE, 2);
    continue_actor(stage, V);
    finish(stage, V);
    act(stage, V, TO_RELEASE, 0);
    act(stage, V, TO_RELEASE, 0);
}

static void held_slot_unwanted(struct stage *stage)
{
    stage_arm(stage, V, STOPS, "X2+", 1);
    open_all(stage, 1);
    act(stage, V, TO_ACQUIRE, 0);
    act(stage, V, TO_ACQUIRE, 0);
    act(stage, A, TO_RESIZE, 1);
    act(stage, V, TO_RELEASE, 0);
    act(stage, A, TO_RESIZE, 2);
    continue_actor(stage, V);
    finish(stage, V);
    act(stage, V, TO_RELEASE, 0);
}

static void tries(struct stage *stage)
{
    open_all(stage, 2);
    act(stage, A, TO_ACQUIRE, 0);
    act(stage, V, TO_TRY, 0);
    act(stage, B, TO_GIVE_UP, 1);
    kill_actor(stage, A);
    act(stage, V, TO_TRY, 0);
    act(stage, V, TO_TRY, 0);
    act(stage, V, TO_RELEASE, 0);
}

const struct scenario scenarios[] = {
    {"alone", 2, 8, alone},
    {"hand-over", 1, 8, hand_over},
    {"wait-in-line", 1, 8, wait_in_line},
    {"holder-dies", 2, 8, holder_dies},
    {"releaser-dies", 1, 8, releaser_dies},
    {"drawer-dies", 3, 8, drawer_dies},
    {"waiter-dies", 1, 8, waiter_dies},
    {"hands-to-the-dead", 1, 8, hands_to_the_dead},
    {"gives-up", 1, 8, gives_up},
    {"gives-up-too-late", 1, 8, gives_up_too_late},
    {"hands-past-who-gave-up", 1, 8, hands_past_who_gave_up},
    {"closes-ranks", 1, 8, closes_ranks},
    {"has-two-places", 2, 8, has_two_places},
    {"ring-comes-round", 3, 8, ring_comes_round},
    {"ring-comes-round-early", 3, 8, ring_comes_round_early},
    {"ring-comes-round-too-late", 3, 8, ring_comes_round_too_late},
    {"ring-comes-round-twice", 4, 8, ring_comes_round_twice},
    {"ring-is-full", 1, 8, ring_is_full},
    {"no-place-in-the-ring", 1, 8, no_place_in_the_ring},
    {"tries-at-a-full-ring", 1, 8, tries_at_a_full_ring},
    {"seat-of-the-dead", 2, 2, seat_of_the_dead},
    {"seat-of-the-dead-resized", 2, 2, seat_of_the_dead_resized},
    {"closes-with-slots", 2, 8, closes_with_slots},
    {"resizes", 2, 8, resizes},
    {"free-slot-unwanted", 2, 8, free_slot_unwanted},
    {"held-slot-unwanted", 2, 8, held_slot_unwanted},
    {"tries", 1, 8, tries},
};
const unsigned scenario_count = sizeof scenarios / sizeof scenarios[0];
