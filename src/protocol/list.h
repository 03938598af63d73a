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
    protocol(etcd_pool) \
    protocol(etcd_lease)
