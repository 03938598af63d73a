#include "pool/format.h"

#include <stddef.h>

static size_t whole_pages(size_t size)
{
    return (size + POOL_PAGE - 1) / POOL_PAGE * POOL_PAGE;
}

/* The smallest power of two that is not below `least`. */
static uint32_t power_of_two(uint32_t least)
{
    uint32_t power = 1;
    while (power < least)
        power *= 2;
    return power;
}

static uint32_t bits_of(uint32_t number)
{
    uint32_t bits = 0;
    for (; number != 0; number >>= 1)
        bits++;
    return bits;
}

struct pool_geometry pool_geometry_of(uint32_t seats)
{
    struct pool_geometry geometry = {
        .seats = seats,
        .ring = power_of_two(2 * (seats + BERTH_MAX_SLOTS)),
        .seat_bits = bits_of(seats), /* 0 .. seats: one number is left for nobody */
    };
    geometry.ring_bits = bits_of(geometry.ring) - 1;
    const size_t ring = whole_pages(geometry.ring * sizeof(uint64_t));
    geometry.arrived = POOL_RING_AT + ring;
    geometry.seat = geometry.arrived + ring;
    geometry.size = geometry.seat + whole_pages(seats * sizeof(struct pool_seat));
    return geometry;
}

/* FNV-1a over numbers, byte by byte, the lowest first. */
static uint64_t mix(uint64_t hash, uint64_t number)
{
    for (unsigned byte = 0; byte < 8; byte++, number >>= 8)
        hash = (hash ^ (number & 0xff)) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t pool_signature(const struct pool_geometry *geometry)
{
    const uint64_t facts[] = {
        (uint64_t)POOL_SEAT_BYTE,
        sizeof(struct pool_header),
        offsetof(struct pool_header, token_base),
        offsetof(struct pool_header, boot),
        offsetof(struct pool_header, name),
        offsetof(struct pool_control, draw),
        offsetof(struct pool_control, admission),
        offsetof(struct pool_control, target),
        offsetof(struct pool_control, removed),
        offsetof(struct pool_control, tell),
        offsetof(struct pool_control, door),
        sizeof(struct pool_seat),
        offsetof(struct pool_seat, command),
        BERTH_MAX_SLOTS,
        BERTH_COMMAND_MAX,
        geometry->seats,
        geometry->ring,
        geometry->seat_bits,
        POOL_SLOT_AT,
        POOL_SINCE_AT,
        POOL_RING_AT,
        geometry->arrived,
        geometry->seat,
        geometry->size,
    };
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        hash = mix(hash, facts[i]);
    return hash;
}
