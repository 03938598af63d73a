/* The catalogue, one line for each protocol, by the C name in its file. */
#define PROTOCOLS(protocol) \
    protocol(rp_two) \
    protocol(rp_n) \
    protocol(rp_linear) \
    protocol(burns_bit) \
    protocol(burns_a) \
    protocol(burns_b) \
    protocol(burns_c) \
    protocol(flbb_count) \
    protocol(flbb_bank_a) \
    protocol(flbb_bank_b) \
    protocol(flbb_bank_c) \
    protocol(flbb_bank_fifo) \
    protocol(flbb_queue) \
    protocol(flbb_colored) \
    protocol(flbb_buckets) \
    protocol(flbb_robust) \
    protocol(flbb_line) \
    protocol(flbb_fifo) \
    protocol(peterson) \
    protocol(bakery) \
    protocol(pool) \
    protocol(ranker_0) \
    protocol(ranker_a) \
    protocol(ranker_c) \
    protocol(ranker_s) \
    protocol(doorway) \
    protocol(two_process) \
    protocol(mutex) \
    protocol(mutex_timeout) \
    protocol(dining) \
    protocol(dining_timeout) \
    protocol(drinking) \
    protocol(k_exclusion) \
    protocol(producer_consumer) \
    protocol(concurrent_producer_consumer) \
    protocol(multi)
