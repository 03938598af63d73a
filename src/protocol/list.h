/* The catalogue, one line for each protocol, by the C name in its file. */
#define PROTOCOLS(protocol) \
    protocol(rp_two) \
    protocol(burns_b)
