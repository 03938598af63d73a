#!/bin/bash
# Protocol files outside the tree, with an installed berth in an empty folder: check and its answers, the
# cache, errors of the compiler, variants, properties of the file's own, new, stress, trace, space, and
# the files of the catalogue, which are own files as well and have to come out the same.
set -u

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export XDG_CACHE_HOME=$work/cache
mkdir "$work/cache" "$work/empty"
failures=0
output=$work/output

cmake --install "$(dirname "$BERTH")" --prefix "$work/prefix" >"$output" 2>&1 ||
    { cat "$output"; exit 1; }
berth=$work/prefix/bin/berth
cd "$work/empty" || exit 1

complain() {
    echo "FAILED: $*"
    cat "$output"
    failures=$((failures + 1))
}

# expect STATUS TEXT ARGUMENT...
expect() {
    local expected=$1 text=$2 status
    shift 2
    "$berth" "$@" >"$output" 2>&1
    status=$?
    [ "$status" -eq "$expected" ] || complain "$*: status $status, not $expected"
    grep -qF -- "$text" "$output" || complain "$*: no \"$text\""
}

# --- new ---
expect 0 'first.c: berth check ./first.c' new first
expect 2 'cannot write first.c' new first
expect 2 'not a name' new 'a/b'
expect 0 as-claimed check ./first.c
[ "$(tail -n 1 "$output")" = as-claimed ] || complain "the verdict is not the last line"
expect 1 'exclusion fails' check ./first.c/broken-test
expect 0 as-claimed check ./first.c -n 4 --whole
expect 2 'no such protocol: ./first.c/none' check ./first.c/none
expect 0 '"verdict": "as-claimed"' check ./first.c --json
expect 0 'filter.c' new filter --like peterson
expect 0 '1605 states, 4815 transitions' check ./filter.c
expect 2 'made of more than one file' new x --like rp-n

# --- the cache: the same content is compiled once, another one again ---
[ "$(find "$work/cache" -name '*.so' | wc -l)" -eq 2 ] || complain "not one object for each file"
touch first.c
expect 0 as-claimed check ./first.c
[ "$(find "$work/cache" -name '*.so' | wc -l)" -eq 2 ] || complain "compiled again without a change"
sed -i 's/one step takes the lock/one step does/' first.c
expect 0 'one step does' check ./first.c
[ -z "$(find "$work/cache" -type f ! -name '*.so')" ] || complain "something was left in the cache"
echo '/* nothing yet */' >extra.inc
{ echo '#include "extra.inc"'; cat first.c; } >second.c
expect 0 as-claimed check ./second.c
echo '#error "changed"' >extra.inc
expect 2 'extra.inc:1' check ./second.c

# --- no cache in a folder that another user could replace, anywhere above it ---
# not_kept FOLDER: what is compiled with this cache is not left in it.
not_kept() {
    XDG_CACHE_HOME=$1 expect 0 as-claimed check ./first.c
    [ -z "$(find "$1" -name '*.so')" ] || complain "code is kept in $1"
}
mkdir -p "$work/loose/mine/cache" "$work/kept/mine/cache"
chmod 777 "$work/loose"
not_kept "$work/loose/mine/cache"
chmod 1777 "$work/loose" # as /tmp
XDG_CACHE_HOME=$work/loose/mine/cache expect 0 as-claimed check ./first.c
[ -n "$(find "$work/loose/mine" -name '*.so')" ] || complain "no code is kept below a folder such as /tmp"
if [ "$(id -u)" -eq 0 ]; then # sudo with the user's HOME
    chown 65534 "$work/kept/mine"
    not_kept "$work/kept/mine/cache"
fi

# --- errors: the user's file and line ---
sed 's/WRITE(give, V, 0)/WRITE(give, W, 0)/' first.c >wrong.c
line=$(grep -n 'WRITE(give' wrong.c | cut -d: -f1)
expect 2 "wrong.c:$line" check ./wrong.c
expect 2 'cannot read ./none.c' check ./none.c
echo 'typedef int plain;' >plain.c
expect 2 'is no protocol file' check ./plain.c
CC=no-such-compiler expect 125 'a C compiler is needed' check ./first.c

# --- only the argument that names a protocol is compiled: code in other files is not run ---
{ cat "$SRC/src/protocol/classic/peterson.c"
  echo '__attribute__((constructor)) static void run(void) { __builtin_printf("RAN\n"); }'; } >trap.c
cp trap.c trap.kept
# harmless ARGUMENT...: nothing of trap.c is run.
harmless() {
    "$berth" "$@" >"$output" 2>&1 </dev/null
    ! grep -q RAN "$output" || complain "berth $*: runs trap.c"
    cp trap.kept trap.c
}
expect 0 RAN check ./trap.c
expect 0 RAN check --threads 1 --json ./trap.c
expect 0 RAN check -n2 --whole -- trap.c
expect 0 RAN check --who trap.c -n 2
expect 0 RAN check ./trap.c --help
harmless check rp-n/printed -n 2 --witness trap.c
harmless check --witness trap.c rp-n/printed -n 2
harmless check --wit trap.c peterson
harmless check --witness=trap.c peterson
harmless check --graph trap.c peterson
harmless check --table trap.c
harmless check -n trap.c peterson
harmless check peterson trap.c
harmless check --no-such-option trap.c
harmless check --witness trap.c --help
harmless trace rp-two trap.c
harmless trace --schedule trap.c rp-two
harmless space peterson --svg trap.c
harmless space --svg trap.c --json
harmless bench --quick --only uncontended --subject berth --svg trap.c
harmless prove burns-a --rules-from trap.c
harmless stress peterson --on trap.c --seconds 0.1
harmless explore --help peterson trap.c
harmless search --write trap.c
harmless refute --table trap.c
harmless new trap.c
for subcommand in check trace explore space stress bench prove protocols; do
    expect 0 'its code runs as you' $subcommand --help
done

# --- properties of the file's own ---
sed 's/AFTER("who is inside leaves", IS_CRITICAL(WHO), IS_RESTING(WHO))/AFTER("gets in", IS_TRYING(WHO), IS_CRITICAL(WHO))/' \
    first.c >unfair.c
expect 1 '"gets in" (after)' check ./unfair.c
grep -q 'from here on for ever' "$output" || complain "no cycle"
sed 's/ALWAYS("the lock.*/NEVER("two are asking", IS_TRYING(0) \&\& IS_TRYING(1))/' first.c >two.c
expect 1 '"two are asking" (never)' check ./two.c --only properties
sed 's/IS_CRITICAL(WHO), IS_RESTING/AT(WHO, gvie), IS_RESTING/' first.c >typo.c
expect 2 'no access has that label' check ./typo.c
expect 0 'after  who is inside leaves holds' check ./first.c
expect 1 '"name": "two are asking"' check ./two.c --whole --json

# "After p eventually q" over regions is lockout-free said otherwise: they agree.
agree() {
    local file=$1
    shift
    sed 's/^#include "step\/step.h"/#define HAS_PROPERTIES\n&/; s/^PROTOCOL(/PROPERTIES\n    AFTER("leaves", IS_TRYING(WHO) || IS_LEAVING(WHO), IS_CRITICAL(WHO) || IS_RESTING(WHO))\nEND_PROPERTIES\n&/' \
        "$SRC/$file" >agree.c
    "$berth" check ./agree.c "$@" --only lockout-free,properties --json >"$output" 2>&1
    python3 - "$output" <<'END' || complain "$file: properties and lockout-free do not agree"
import json, sys
d = json.load(open(sys.argv[1]))
answers = {c["property"]: c["holds"] for c in d["claims"]}
assert answers["lockout-free"] is not None and answers["lockout-free"] == answers["properties"], answers
END
}
agree src/protocol/classic/peterson.c -n 3
agree examples/protocol/ticket.c -n 3
agree examples/definitions/resting.c
agree examples/definitions/handover.c

# --- the other commands ---
expect 0 holds stress ./filter.c -n 2 --entries 500
expect 0 'P0' trace ./filter.c --schedule "0 0 1"
expect 0 peterson space ./filter.c -n 3
expect 0 'passages/s' bench ./filter.c --quick
expect 0 'peterson: The filter lock' protocols ./filter.c
expect 0 'active proctype P0' check ./filter.c -n 2 --export promela

# explore: the page has the file, and a run of it; the agents of a memory move as well
python3 - "$berth" >"$output" 2>&1 <<'END' || complain "explore ./filter.c"
import http.client, json, re, subprocess, sys

for options, schedule, text in ([], "0 0 1", "filter.c"), (["--memory-model", "tso"], "0 0 2 2", "level[0]"):
    process = subprocess.Popen([sys.argv[1], "explore", "./filter.c", "-n", "2", *options],
                               stdout=subprocess.PIPE, text=True)
    try:
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", process.stdout.readline().strip())
        connection = http.client.HTTPConnection("127.0.0.1", int(match[1]), timeout=60)
        connection.request("GET", f"/{match[2]}/")
        page = connection.getresponse()
        assert page.status == 200 and "filter.c" in page.read().decode()
        connection = http.client.HTTPConnection("127.0.0.1", int(match[1]), timeout=60)
        connection.request("POST", f"/{match[2]}/play", json.dumps({"schedule": schedule}))
        run = connection.getresponse()
        said = run.read().decode()
        assert run.status == 200 and text in said, said
    finally:
        process.terminate()
        process.wait()
END

# --- what hardware does, of a file ---
expect 1 'level[0] := 1 waits' check ./filter.c -n 2 --memory-model tso
expect 0 'with 1 store ordered' check ./filter.c -n 2 --memory-model tso --fences
expect 0 'bound 6' check ./filter.c -n 2 --rmr cc
expect 0 'as-claimed' check ./filter.c -n 2 --registers safe
sed 's/^#include "step\/step.h"/#define HOMES(home) home(last, i)\n&/' filter.c >homes.c
expect 0 'no bound' check ./homes.c -n 2 --rmr dsm
sed 's/home(last/home(lost/' homes.c >lost.c
expect 2 'lost.c' check ./lost.c -n 2 --rmr dsm

# --- an option that the file declares ---
"$berth" new chosen >"$output" 2>&1
sed -i 's/VARIANT(BROKEN_TEST)/params->option[0] == 1/; s/\.anonymous = true, /&.options = {{"take", "HOW", "how the lock is taken", {"at-once", "in-two-steps"}}}, /' chosen.c
expect 0 'take=at-once' check ./chosen.c
expect 0 as-claimed check ./chosen.c --take at-once
expect 1 'exclusion fails' check ./chosen.c --take in-two-steps
expect 1 '"take": "in-two-steps"' check ./chosen.c --take in-two-steps --json
expect 0 'P0 look' trace ./chosen.c --take in-two-steps --steps 3
expect 0 'take=at-once' stress ./chosen.c --take at-once --seconds 0.1 --threads
expect 0 '--take HOW: at-once or in-two-steps: how the lock is taken' protocols ./chosen.c
for command in check trace explore stress; do
    expect 0 '--take HOW       at-once or in-two-steps, for chosen:' "$command" ./chosen.c --help
    expect 0 'how the lock is taken' "$command" --help ./chosen.c/broken
    expect 0 "usage: berth $command" "$command" ./missing.c --help
done
! "$berth" check --help | grep -q -e --take || complain "an option of a file that was not given"
expect 2 'no such take: never (at-once or in-two-steps)' check ./chosen.c --take never
expect 2 'chosen has no --timestamps' check ./chosen.c --timestamps bounded
sed 's/"take"/"fault"/' chosen.c >taken.c
expect 2 'a protocol declares --fault, which berth check has already' check ./taken.c
sed 's/"in-two-steps"/"at-once"/' chosen.c >twice.c
expect 2 'the option take needs two values at least' check ./twice.c
sed 's/"take"/"Take"/' chosen.c >capital.c
expect 2 'cannot be the name of an option' check ./capital.c

# --- words that name processes, as berth-notation(7) says it: processes are exchanged ---
cat >seats.c <<'END_OF_FILE'
#define NAME seats
#define CELLS(cell, cells, registers) cell(last, COMERS)
#define LOCALS(local) local(gone, COUNTS(2))
#define HAS_NORMAL
#define HAS_ORBIT
#include "step/step.h"
#define COMERS 16
#define COUNTS(values) (values)
#define SEAT_IN_COMERS(w) ((w) < 8 ? STEP_NO_SEAT : (w) & 7)
#define SEAT_IN_COUNTS(values) NAMES_NOBODY
#define NAMES_NOBODY(w) STEP_NO_SEAT
#define SORT_FIRST gone
#include "step/exchange.h"
ENTRY
    TEST(takes, v, last)
        ON(v == 0, 8 | ME);
    END_TEST
END
EXIT
    WRITE(gives, last, 0);
END
NORMAL
    if (params->symmetric)
        SORT_PROCESSES;
    return params->symmetric;
END_NORMAL
ORBIT
    return EXCHANGES;
END_ORBIT
static const struct protocol_claim claims[] = {{CHECK_EXCLUSION, CLAIMED, "a test"},
                                               {CHECK_NO_SLOT_LOST, CLAIMED, "a test"}};
static const struct protocol_variant variants[] = {{"", "seats", CLAIMS(claims)}};
PROTOCOL(.name = "seats", .title = "a test", .citation = "none", .min_n = 2, .max_n = 4,
         .default_n = 3, .max_l = 1, .symmetric = true, VARIANTS(variants))
#include "step/end.h"
END_OF_FILE
expect 0 '19 states, 57 transitions (6 states kept' check ./seats.c
expect 0 '19 states, 57 transitions,' check ./seats.c --no-symmetry
# If process 0 is named at first, an exchange leads out of what can be reached, and none is made.
sed -e 's/(w) < 8 ? STEP_NO_SEAT : (w) & 7/(w)/' -e 's/v == 0, 8 | ME/v == ME, 7/' -e 's/last, 0/last, ME/' seats.c >turn.c
expect 0 '8 states, 24 transitions,' check ./turn.c --only exclusion
expect 0 '8 states, 24 transitions,' check ./turn.c --only exclusion --no-symmetry
# A process that is treated specially has to be said to be: then nothing is exchanged.
sed -e 's/v == 0, 8/v == 0 \&\& ME != 2, 8/' seats.c >barred.c
expect 1 'the file says .symmetric' check ./barred.c --only deadlock-free
expect 0 'deadlock-free              fails' check ./barred.c --only deadlock-free --no-symmetry
sed -i 's/CLAIMS(claims)}/CLAIMS(claims), .tells_apart = true}/' barred.c
expect 0 '14 states, 42 transitions,' check ./barred.c --only exclusion

# --- the catalogue's files are own files as well ---
for file in classic/bakery.c rivest-pratt/two.c burns/bit.c flbb/count.c; do
    cp "$SRC/src/protocol/$file" ./copy.c
    sed -i "s|#include \"protocol/|#include \"$SRC/src/protocol/|; s|#include \"race.inc\"|#include \"$SRC/src/protocol/rivest-pratt/race.inc\"|" copy.c
    name=$(sed -n 's/.*\.name = "\([^"]*\)".*/\1/p' copy.c | head -n 1)
    "$berth" check "$name" --whole --json >"$work/there" 2>&1
    "$berth" check ./copy.c --whole --json >"$work/here" 2>&1
    python3 - "$work/there" "$work/here" >"$output" 2>&1 <<'END' || complain "$file: not the same as in the catalogue"
import json, sys
there, here = (json.load(open(path)) for path in sys.argv[1:3])
for of in "states", "transitions", "verdict", "values":
    assert there[of] == here[of], (of, there[of], here[of])
assert [c["holds"] for c in there["claims"]] == [c["holds"] for c in here["claims"]]
END
done

[ "$failures" -eq 0 ] && echo "all as expected"
[ "$failures" -eq 0 ]
