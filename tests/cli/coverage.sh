#!/bin/bash
# What was never done: accesses, outcomes and regions, at the end of a check; and claims that hold for that reason alone.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work
failures=0

complain() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# file NAME SECTIONS CLAIMS OPTIONS: writes a protocol file. LOCALS are u.
file() {
    {
        printf '#define NAME %s\n' "$1"
        printf '#define CELLS(cell, cells, registers) cell(V, 3) cell(W, 2)\n#define LOCALS(local) local(u, 3)\n'
        printf '%s\n' "$2"
        printf 'static const struct protocol_claim claims[] = {%s};\n' "$3"
        printf 'static const struct protocol_variant variants[] = {{"", "a test", CLAIMS(claims)}};\n'
        printf 'PROTOCOL(.name = "%s", .title = "A test", .citation = "made for this test", .min_n = 2, .max_n = 4,\n' "$1"
        printf '         .default_n = 2, .max_l = 1, %s VARIANTS(variants))\n#include "step/end.h"\n' "$4"
    } >"$work/$1.c"
}

# expect NAME TEXT [OPTION...]: the output has the line.
expect() {
    local name=$1 text=$2
    shift 2
    (cd "$work" && "$BERTH" check "./$name.c" "$@") >"$work/output" 2>&1
    grep -qE -- "$text" "$work/output" || {
        complain "$name $*: no \"$text\""
        cat "$work/output"
    }
}

absent() {
    local name=$1 text=$2
    shift 2
    (cd "$work" && "$BERTH" check "./$name.c" "$@") >"$work/output" 2>&1
    ! grep -qE -- "$text" "$work/output" || {
        complain "$name $*: \"$text\""
        cat "$work/output"
    }
}

# A lock with a step that nobody makes, an alternative that is never taken, and a wait that is none.
dead='#include "step/step.h"
ENTRY
    TEST(take, v, V)
        ON(v == 2, 0);
        ON(v == 0, 1);
    END_TEST
    READ(look, u, W);
    if (u == 1)
        WRITE(dead, W, 0);
    FORGET(u);
    AWAIT(idle, w, W, w == 0);
END
EXIT
    WRITE(give, V, 0);
END'
file dead "$dead" '{CHECK_EXCLUSION, CLAIMED, "a test"}' ''
# With LIMIT there are no tables, and every state is looked at.
file limited "${dead/ENTRY/ENTRY
    LIMIT(true);}" '{CHECK_EXCLUSION, CLAIMED, "a test"}' '.default_limit = 4,'
for options in "" "--threads 1" "--threads 2 --no-symmetry" "--paranoid" "-n 3" "--memory-model tso" "--passages 2"; do
    for name in dead limited; do
        # shellcheck disable=SC2086
        expect $name '^never made: dead \(line 1[0-9]\)$' $options
        # shellcheck disable=SC2086
        expect $name '^never: ON\(v == 2\) \(line [0-9]+\), w == 0 waits \(line 1[0-9]\)$' $options
        # shellcheck disable=SC2086
        absent $name 'nobody is ever|only because' $options
    done
done
(cd "$work" && "$BERTH" check ./dead.c --json) >"$work/output" || complain "dead --json"
python3 - "$work/output" <<'END' || complain "coverage in JSON"
import json, sys
coverage = json.load(open(sys.argv[1]))['coverage']
assert [made['label'] for made in coverage['never_made']] == ['dead'], coverage
assert [(taken['condition'], taken['what']) for taken in coverage['never_taken']] == \
    [('v == 2', 'ON'), ('w == 0', 'waits')], coverage
assert coverage['regions_never_reached'] == [], coverage
END

(cd "$work" && "$BERTH" check ./dead.c --witness page.html) >/dev/null
grep -q '"never_made":\[{"label":"dead"' "$work/page.html" || complain "the page does not say what was never made"

# Nobody gets in.
file nobody '#include "step/step.h"
ENTRY
    AWAIT(wait, v, V, v == 1);
END
EXIT
    WRITE(give, V, 0);
END' '{CHECK_EXCLUSION, CLAIMED, "a test"}, {CHECK_FIFO, CLAIMED, "a test"}' ''
expect nobody '^  exclusion .* only because nobody is ever critical'
expect nobody '^  fifo .* only because nobody is ever critical'
expect nobody '^nobody is ever critical$'
expect nobody '^never: v == 1 goes on'

# A condition that never holds leads to anything.
file vacuous '#define HAS_PROPERTIES
#include "step/step.h"
ENTRY
    TEST(take, v, V)
        ON(v == 0, 1);
    END_TEST
END
EXIT
    WRITE(give, V, 0);
END
PROPERTIES
    AFTER("never begins", SHARED(W) == 1, IS_CRITICAL(WHO))
    LEADS_TO("starves", IS_TRYING(WHO), IS_CRITICAL(WHO))
    ALWAYS_EVENTUALLY("is free", SHARED(V) == 0)
    ALWAYS_EVENTUALLY("is taken", SHARED(V) == 1)
END_PROPERTIES' '{CHECK_EXCLUSION, CLAIMED, "a test"}' ''
expect vacuous 'after  never begins      holds  only because its condition never holds'
expect vacuous 'after  starves           fails$'
expect vacuous 'always eventually is free +holds$'
expect vacuous 'always eventually is taken +holds$' # somebody moves for ever

# What is complete says nothing; what is not complete knows nothing.
"$BERTH" check burns-bit -n 3 --explain >"$work/output"
grep -qE '^(never|nobody)' "$work/output" && complain "burns-bit: something is missing"
"$BERTH" check peterson -n 3 --explain | grep -q '^never made: last (line' || complain "peterson: another variant's accesses"
"$BERTH" check peterson -n 3 | grep -q '^never' && complain "peterson lists what is another variant's"
"$BERTH" check peterson -n 4 --memory 400K --json >"$work/output"
grep -q '"coverage": null' "$work/output" || complain "an incomplete run knows what was never done"

[ "$failures" -eq 0 ]
