/*
 * The pool file, as every process of the pool maps it. docs/FORMAT.md says the same byte by byte.
 * All numbers are in the machine's own order: the file never leaves the machine.
 *
 *     0       struct pool_header      written once, before the file has a name
 *     4096    struct pool_control     the words that every acquire and release changes
 *     8192    uint64_t slot[1024]     who holds each slot
 *     16384   uint64_t since[1024]    when each slot was taken, for people to read
 *     24576   uint64_t ring[R]        the tickets that wait and the slots that are free
 *             uint64_t arrived[R]     when each waiter came, for people to read
 *             struct pool_seat seat[seats]
 *
 * The words of control, slot and ring belong to the pool protocol (protocol/pool/pool.c says what
 * they hold). Everything here is a claim by another process: a reader checks before it uses.
 *
 * Seat number s is alive while the kernel holds an open-file-description lock on one of the bytes
 * POOL_SEAT_BYTE + 2 s and the next one; they lie beyond the end of the file.
 */
#ifndef BERTH_POOL_FORMAT_H
#define BERTH_POOL_FORMAT_H

#include "berth.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define POOL_MAGIC UINT64_C(0x0a4c504854524542) /* "BERTHPL\n" */
#define POOL_VERSION 3
#define POOL_SEAT_BYTE (INT64_C(1) << 40)

enum {
    POOL_PAGE = 4096,
    POOL_LINE = 128,
    POOL_STAMP_BITS = 20, /* of the ticket, below the milliseconds in since[] and arrived[] */
};

struct pool_header {
    uint64_t magic;
    uint32_t version;
    uint32_t seats;      /* 1 .. BERTH_MAX_SEATS */
    uint32_t ring;       /* entries: a power of two, fixed by seats (pool_geometry_of) */
    uint32_t seat_bits;  /* bits of a seat number in the protocol's words, also fixed by seats */
    uint64_t signature;  /* of the layout: pool_signature */
    uint64_t token_base; /* microseconds of CLOCK_REALTIME at the creation. A token is this and the
                            ticket, so that tokens grow even if the pool is removed and remade */
    char boot[40];       /* the kernel's boot id: a pool of an earlier boot has no living process */
    char name[BERTH_NAME_MAX + 1];
};

struct pool_control {
    _Alignas(POOL_LINE) _Atomic(uint64_t) draw;      /* T of the protocol */
    _Alignas(POOL_LINE) _Atomic(uint64_t) admission; /* A */
    _Alignas(POOL_LINE) _Atomic(uint64_t) target;    /* how many slots are wanted */
    _Atomic(uint64_t) removed; /* 1: a process has seen that the file has no name any more */
    _Atomic(uint64_t) tell;    /* waiters up to this ticket want to be told when they are next */
    _Alignas(POOL_LINE) _Atomic(uint64_t) door; /* a call for several pools: protocol/pool/door.c */
};

/* What another process wrote (os/foreign.h). */
struct pool_command {
    char bytes[BERTH_COMMAND_MAX];
};

/* The process that has the seat: for people to read, and written by that process. */
struct pool_seat {
    _Atomic(uint32_t) pid;
    uint32_t reserved;
    _Atomic(uint64_t) opened; /* milliseconds of CLOCK_REALTIME */
    struct pool_command command;
    _Atomic(uint64_t) owner; /* the process that took the seat, whatever `pid` is made to show, */
    _Atomic(uint64_t) owner_namespace; /* and in which namespace of process ids; 0: not known */
};

_Static_assert(sizeof(struct pool_header) <= POOL_PAGE, "the header is one page");
_Static_assert(sizeof(struct pool_control) <= POOL_PAGE, "so is the control page");
_Static_assert(sizeof(struct pool_seat) == 128, "a seat is one line");

/* Where things are in every pool, whatever the number of seats. */
enum {
    POOL_CONTROL_AT = POOL_PAGE,
    POOL_SLOT_AT = POOL_CONTROL_AT + POOL_PAGE,
    POOL_SINCE_AT = POOL_SLOT_AT + BERTH_MAX_SLOTS * 8,
    POOL_RING_AT = POOL_SINCE_AT + BERTH_MAX_SLOTS * 8,
};

/* Sizes and places, all of them fixed by the number of seats. */
struct pool_geometry {
    uint32_t seats, ring, seat_bits, ring_bits;
    size_t arrived, seat; /* offsets in the file */
    size_t size;          /* of the file */
};

struct pool_geometry pool_geometry_of(uint32_t seats);

/* When something happened to a ticket, in milliseconds of CLOCK_REALTIME. A stamp may be missing,
 * and an older ticket's in its place: then the low bits differ. */
static inline uint64_t pool_stamp(uint64_t when, uint64_t ticket)
{
    return when << POOL_STAMP_BITS | (ticket & ((1 << POOL_STAMP_BITS) - 1));
}

static inline bool pool_stamp_is_of(uint64_t stamp, uint64_t ticket)
{
    return pool_stamp(stamp >> POOL_STAMP_BITS, ticket) == stamp;
}

/* Those of a pool with the default number of seats. */
enum { POOL_USUAL_SEAT_BITS = 11, POOL_USUAL_RING_BITS = 12 };
uint64_t pool_signature(const struct pool_geometry *geometry);

#endif
