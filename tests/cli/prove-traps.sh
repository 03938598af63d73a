#!/bin/bash
# What the prover must refuse: files of which everything is shown but what makes them right (tests/prove/traps), and
# words of the notation that it does not know. BERTH is the command under test, SRC the source.
subcommand=prove
rows_in=claims
# shellcheck source=lib.bash
. "$(dirname "$0")/lib.bash"

for tool in z3 g++; do
    command -v $tool >/dev/null || { echo "SKIPPED: there is no $tool"; exit 77; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir" "$output"' EXIT
headers=$dir/headers
"$SRC/tools/rules" --precompile g++ "$SRC" "$headers" || complain "no headers"

# The table of src/prove/known_words.c has every word of the notation, and every field of struct protocol.
known() { # known LEAST-NUMBER, words on stdin
    local word count=0
    while read -r word; do
        count=$((count + 1))
        grep -qF "{\"$word\", " "$SRC/src/prove/known_words.c" || complain "the prover does not know $word"
    done
    [ $count -ge "$1" ] || complain "$count words, not $1"
}
grep -oE '^ \*     #define HAS_[A-Z_]+' "$SRC/src/step/step.h" | grep -oE 'HAS_[A-Z_]+' >"$dir/words"
known 25 <"$dir/words"
awk '/^struct protocol \{/ { inside = 1; next } /^};/ { inside = 0 } inside' "$SRC/src/step/protocol.h" |
    sed -E 's#^ {20,}.*##; s#/\*.*##; s#\(\*([a-z_]+)\)\(.*#\1;#; s#\[[A-Z_]+\]##g' | tr ',' ';' |
    grep -oE '[a-z_]+ *;' | tr -d ' ;' | sed 's/^/./' | grep -vx '.file' >"$dir/words" # STEP_PROTOCOL sets .file
known 36 <"$dir/words"

# Files with false statements, in words that the prover must not accept: none of them is proved.
trap() { # file, protocol with that claim, properties
    local file=$1 protocol=$2 property
    shift 2
    "$SRC/tools/rules" g++ "$SRC" "$SRC/tests/prove/traps/$file.c" "$dir/trap" "$headers" 2>"$output"
    grep -q '^(variant 0' "$dir/trap" || complain "traps/$file: no rules"
    for property; do
        "$BERTH" prove "$protocol" --rules-from "$dir/trap" --property "$property" >"$output" 2>&1 &&
            complain "traps/$file is proved"
        [ -n "${LONG-}" ] || continue # nor by the second derivation
        { printf '(system "trap" (variant 0) (min-n 2) (min-l 1) (max-l %d) (l-below-n 0) (own-steps 0))\n' \
            "$(sed -nE 's/.*\.max_l = ([0-9]+).*/\1/p' "$SRC/tests/prove/traps/$file.c")"
            printf '(claim %s%s)\n' "$property" "$([ "$property $file" = "wait-free-doorway called_doorway" ] && echo ' (bound 1 0)')"
            cat "$dir/trap"; } >"$dir/system"
        python3 "$SRC/tests/oracle/proofs.py" "$dir/system" --seconds 5 >"$output" 2>&1 ||
            complain "traps/$file: the second derivation ends"
        grep -q ' proved$' "$output" && complain "traps/$file is proved by the second derivation"
    done
}
trap reset pool fifo-enabling first-in-first-enabled
trap plain bakery fifo
trap behind bakery fifo
trap trust bakery fifo
trap dead_revives pool exclusion
trap count pool exclusion
trap calm_fed pool deadlock-free
trap calm_others pool deadlock-free
trap called bakery deadlock-free
trap death bakery deadlock-free
trap released bakery lockout-free
trap calm_rest pool deadlock-free
trap gives_up bakery lockout-free
trap gives_up_counted burns-a lockout-free
trap bakery_dies bakery lockout-free
trap chooses bakery deadlock-free
trap chooses_counted burns-bit deadlock-free
trap numbered_of_j bakery deadlock-free
trap seat_of_j pool exclusion
trap called_free bakery deadlock-free
trap two_holes bakery exclusion
trap same_slot pool distinct-slots
trap trust_counted burns-bit exclusion
trap position_first bakery exclusion
trap told bakery exclusion
trap wraps bakery exclusion
trap leaves_late flbb-queue fifo-enabling
trap stays_in_doorway flbb-queue bounded-waiting-enabling finite-waiting-enabling
trap shut_again flbb-queue fifo-enabling
trap from_remainder flbb-queue l-full
trap queue_and_more flbb-queue values
trap fed bakery lockout-free
trap fed4 bakery lockout-free
trap fed_by_entry bakery lockout-free
trap fed_in_call bakery lockout-free
trap called_doorway ticket-lock wait-free-doorway
trap called_spin bakery wait-free-doorway
trap clash flbb-count exclusion
trap clash4 flbb-count exclusion
trap clash_with_names flbb-queue exclusion
trap first_come bakery fifo
trap is_object bakery exclusion deadlock-free
trap own_word bakery exclusion no-memory
trap constants bakery exclusion
trap constants4 bakery exclusion
trap constants_two bakery exclusion
trap constants_far bakery exclusion
trap assumed bakery exclusion
trap assumed_two bakery exclusion
trap assumed_of_each bakery exclusion
trap assumed_of_two bakery exclusion
trap assumed4 bakery exclusion

# And files that cannot be read as rules, because of what the rules would leave out.
for file in no_revival supervisor local_array two_elements holds_test; do
    "$SRC/tools/rules" g++ "$SRC" "$SRC/tests/prove/traps/$file.c" "$dir/trap" "$headers" 2>"$output"
    grep -q 'cannot be read as rules: ' "$output" "$dir/trap" || complain "traps/$file is read"
done

# The methods are those of docs/PROOFS.md, which has an argument for each.
"$BERTH" prove --methods >"$dir/methods" || complain "--methods"
awk '/^## Methods/ { inside = 1 } /^## What has to be trusted/ { inside = 0 } inside && /^\|/' "$SRC/docs/PROOFS.md" |
    diff - <(grep '^|' "$dir/methods") >"$output" || complain "docs/PROOFS.md: other methods"
grep -oP '^\| [a-z-]+ \| \K[^|]+(?= \| [^|]*\| [^|]*\|$)' "$dir/methods" | sort -u >"$dir/names"
[ "$(wc -l <"$dir/names")" -gt 20 ] || complain "--methods: few methods"
while read -r name; do
    [ "$name" = method ] || [ "$name" = --- ] || grep -qF -- "- **$name** (" "$SRC/docs/PROOFS.md" ||
        complain "docs/PROOFS.md: no argument for $name"
done <"$dir/names"

# All of these are in this list, and there is no rule file without the words of its file.
for file in "$SRC"/tests/prove/traps/*.c; do
    grep -qE "(trap|in) .*\b$(basename "$file" .c)\b" "$0" "${0%-traps.sh}-own.sh" || complain "$(basename "$file") is not tried"
done
"$BERTH" prove bakery --rules | grep -v '^(words' >"$dir/wordless"
expect 3 bakery --rules-from "$dir/wordless"
# What is taken for granted is printed, with its condition.
"$SRC/tools/rules" g++ "$SRC" "$SRC/tests/prove/traps/constants4.c" "$dir/trap" "$headers" 2>"$output"
expect 3 bakery --rules-from "$dir/trap" --property exclusion
grep -qx 'taken for granted: big: n < big && big < 5' "$output" || complain "constants4: the condition is not printed"
expect 3 bakery --rules-from "$dir/trap" --property exclusion --json
check constants4 'd["taken_for_granted"] == [{"name": "big", "condition": "n < big && big < 5"}]'
finish
