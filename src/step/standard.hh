/*
 * What the third reading of a protocol file (rules.hh) needs of the standard library: in one
 * header, so that it can be compiled once for many files (tools/rules --precompile).
 */
#ifndef BERTH_STEP_STANDARD_HH
#define BERTH_STEP_STANDARD_HH

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#endif
