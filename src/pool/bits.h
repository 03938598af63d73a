/* What the bits of the protocol's words mean, for those who read them without taking part. */
#ifndef BERTH_POOL_BITS_H
#define BERTH_POOL_BITS_H

#include "pool/words.h"
#include "step/params.h"

#define STEP_NATIVE
#define STEP_EMBEDDED
#define step_shared pool_words
#include "protocol/pool/bits.inc"

#endif
