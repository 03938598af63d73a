/* The catalogue, one line for each protocol, by the C name in its file. */
#define PROTOCOLS(protocol) \
    protocol(rp_two) \
    protocol(rp_n) \
    protocol(rp_linear) \
    protocol(burns_bit) \
    protocol(burns_a) \
    protocol(burns_b) \
    protocol(burns_c) \
    protocol(peterson) \
    protocol(bakery) \
    protocol(pool) \
    protocol(fife) \
    protocol(timestamps_unbounded) \
    protocol(snapshot) \
    protocol(timestamps_bounded) \
    protocol(l_assignment)
