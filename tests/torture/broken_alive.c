/* A library that is broken on purpose, by --wrap: now and then it takes the living for dead, so
 * that slots are given twice. The torture has to find it out. */
#include "pool/file.h"

bool __real_pool_seat_alive(const struct pool_file *file, unsigned seat);
bool __wrap_pool_seat_alive(const struct pool_file *file, unsigned seat);

bool __wrap_pool_seat_alive(const struct pool_file *file, unsigned seat)
{
    static _Atomic(unsigned) asked;
    return atomic_fetch_add(&asked, 1) % 16 != 15 && __real_pool_seat_alive(file, seat);
}
