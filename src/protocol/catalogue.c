#include "protocol/protocol_list.h"
#include "step/protocol.h"

#define DECLARE(name)                                                                             \
    extern const struct protocol_model protocol_model_##name;                                      \
    extern const struct protocol_native protocol_native_##name;
#define MODEL(name) &protocol_model_##name,
#define NATIVE(name) &protocol_native_##name,

PROTOCOLS(DECLARE)

const struct protocol_model *const protocol_models[] = {PROTOCOLS(MODEL)};
const struct protocol_native *const protocol_natives[] = {PROTOCOLS(NATIVE)};
const size_t protocol_count = sizeof protocol_models / sizeof protocol_models[0];
