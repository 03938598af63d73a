#include "pool/history.h"

#include "pool/bits.h"
#include "pool/file.h"
#include "pool/remote_pool.h"

/* The number of tickets that were both drawn and admitted. Both counters only grow, so what is read
 * one after the other is never less than what an earlier look gave. */
static uint64_t served(const struct pool_words *shared)
{
    const word tail = bits_tail(shared);
    const word admit = bits_admit(shared);
    const word turn = tail < admit ? tail : admit;
    return turn < RING ? 0 : turn - RING; /* less than RING, unless the words are damaged */
}

static unsigned died(const struct pool_file *file)
{
    unsigned count = 0;
    for (unsigned seat = 0; seat < file->geometry.seats; seat++) {
        if (atomic_load_explicit(&file->seat[seat].pid, memory_order_relaxed) != 0 &&
            !pool_seat_alive(file, seat))
            count++;
    }
    return count;
}

int pool_history(struct pool_history *history, const char *name, const berth_options *options)
{
    struct pool_file file;
    if (remote_store(options) != NULL) {
        *history = (struct pool_history){.unknown = true};
        return 0;
    }
    int error = pool_file_view(&file, name, options);
    if (error != 0)
        return error;
    const struct pool_words words = pool_words_of(&file);
    *history = (struct pool_history){
        .made = file.token_base, .served = served(&words), .died = died(&file)};
    pool_file_close(&file);
    return 0;
}
