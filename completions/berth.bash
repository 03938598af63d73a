# bash completion for berth(1).
#
# Commands and options are read from `berth --help` and `berth COMMAND --help`, so they are those of
# the berth that is installed: an option's line starts with two spaces and a dash, what it is called
# ends at the next two spaces, and a word in capitals says that it takes an argument.

# _berth_options BERTH COMMAND PATTERN: the options whose heading matches PATTERN.
_berth_options() {
    "$1" "$2" --help 2>/dev/null |
        sed -nE "/^  -/ { s/^  //; s/  .*//; /$3/ { s/[ ,]+/\n/g; p } }" | grep '^-'
}

_berth_jobs() { "$1" jobs 2>/dev/null | awk 'NR > 1 { print $1 }'; }

# Names may come from strangers: only what can be a pool's name is offered.
_berth_pools() { "$1" ls -q ${2:+--store "$2"} 2>/dev/null | LC_ALL=C grep -aExe '[A-Za-z0-9_][A-Za-z0-9._-]*'; }

# _berth_offer CUR BEFORE: offers those lines of standard input that begin with CUR, after BEFORE. Unlike with
# `compgen -W`, none of them is expanded.
_berth_offer() {
    local line
    while IFS= read -r line; do
        [[ $line != "$1"* ]] || COMPREPLY+=("${2-}$line")
    done
}

# _berth_files CUR OPTION...: offers names of files, which are quoted when they are inserted.
_berth_files() {
    compopt -o filenames 2>/dev/null
    _berth_offer '' < <(compgen "${@:2}" -- "$1")
}

_berth_protocols() {
    "$1" protocols 2>/dev/null |
        awk '/^[^ ]/ { name = $1; print name } $1 ~ "^/" { sub(":$", "", $1); print name $1 }'
}

# _berth_declared BERTH COMMAND OPTION: the values of an option that a protocol declares, by the line of the
# help, "  --timestamps T   unbounded or bounded, for fife:".
_berth_declared() {
    "$1" "$2" --help 2>/dev/null | sed -nE "s/^  $3 [A-Z]+ +(.*), for .*:\$/\1/p" | sed 's/, /\n/g; s/ or /\n/g'
}

# _berth_value OPTION CUR BERTH COMMAND: the argument of an option.
_berth_value() {
    case $1 in
    --store | --smt) _berth_files "$2" -d ;;
    -g | --group) mapfile -t COMPREPLY < <(compgen -g -- "$2") ;;
    --witness | --svg | --table | --write | --rules-from | --log) _berth_files "$2" -f ;;
    --tree) mapfile -t COMPREPLY < <(compgen -W 'end wait leave' -- "$2") ;;
    --solver) mapfile -t COMPREPLY < <(compgen -W 'z3 cvc5' -- "$2") ;;
    --export) mapfile -t COMPREPLY < <(compgen -W 'dot aut tla promela c11' -- "$2") ;;
    --memory-model) mapfile -t COMPREPLY < <(compgen -W 'sc tso native' -- "$2") ;;
    --registers) mapfile -t COMPREPLY < <(compgen -W 'atomic regular safe' -- "$2") ;;
    --rmr) mapfile -t COMPREPLY < <(compgen -W 'cc dsm' -- "$2") ;;
    --fault) mapfile -t COMPREPLY < <(compgen -W 'none death sleep kill' -- "$2") ;;
    --ranker) mapfile -t COMPREPLY < <(compgen -W '0 a c s' -- "$2") ;;
    --graph) _berth_files "$2" -W 'ring path complete' -f ;;
    --reads) mapfile -t COMPREPLY < <(compgen -W 'packed state-rank rank-state' -- "$2") ;;
    --theorem) mapfile -t COMPREPLY < <(compgen -W '4.4 4.5 4.9 4.10 4.12 5.1 5.2 5.3' -- "$2") ;;
    --goal) mapfile -t COMPREPLY < <(compgen -W 'deadlock-free lockout-free bounded-waiting' -- "$2") ;;
    *) _berth_offer "$2" < <(_berth_declared "$3" "$4" "$1") ;;
    esac
}

# _berth_command FIRST CUR: a command of its own, which starts at word number FIRST.
_berth_command() {
    if declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    elif [ "$1" -eq "$COMP_CWORD" ]; then
        mapfile -t COMPREPLY < <(compgen -c -- "$2")
    else
        _berth_files "$2" -f
    fi
}

# _berth_commands BERTH: the subcommands.
_berth_commands() { "$1" --help 2>/dev/null | sed -nE 's/^  ([a-z]+) .*/\1/p'; }

_berth() {
    local berth=$1 cur=$2 command=${COMP_WORDS[1]} options taking
    local i word positional=0 first=0 ended=no value='' store=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _berth_offer "$cur" < <(_berth_commands "$berth" && printf '%s\n' help --help --version)
        return
    fi
    options=$(_berth_options "$berth" "$command" '.')
    taking=" $(_berth_options "$berth" "$command" ' [A-Z]' | tr '\n' ' ') "
    # What came before: the number of arguments that are no options, and an option without its value.
    # (The = of --option=value is a word of its own here.)
    for ((i = 2; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [ -n "$value" ]; then
            [ "$word" != = ] || continue
            [ "$value" != --store ] || store=$word
            value=
        elif [ "$word" = -- ] && [ $ended = no ]; then
            ended=yes
        elif [ $ended = no ] && [[ $word == -* && $taking == *" $word "* ]]; then
            value=$word
        elif [ $ended = no ] && [[ $word == -* ]]; then
            continue
        elif [ "$command" = run ] && [ $positional -ge 1 ]; then
            first=$i # the command begins here
            break
        else
            positional=$((positional + 1))
        fi
    done
    if [ $first -gt 0 ]; then
        _berth_command $first "$cur"
    elif [ -n "$value" ]; then
        _berth_value "$value" "${cur#=}" "$berth" "$command"
    elif [ $ended = no ] && [[ $cur == -* ]]; then
        _berth_offer "$cur" < <(printf '%s\n' "$options" --help)
    else
        case $command:$positional in
        run:0) # several, with commas between them
            _berth_offer "${cur##*,}" "${cur%"${cur##*,}"}" < <(_berth_pools "$berth" "$store")
            ;;
        run:*) _berth_command "$COMP_CWORD" "$cur" ;;
        create:0 | status:0 | top:0 | resize:0 | drain:0 | rm:*)
            _berth_offer "$cur" < <(_berth_pools "$berth" "$store")
            ;;
        wait:* | kill:0)
            _berth_offer "$cur" < <(
                _berth_pools "$berth" "$store"
                _berth_jobs "$berth"
            )
            ;;
        log:0) _berth_offer "$cur" < <(_berth_jobs "$berth") ;;
        help:0) _berth_offer "$cur" < <(_berth_commands "$berth") ;;
        trace:1) _berth_files "$cur" -f ;;
        check:0 | prove:0 | trace:0 | explore:0 | space:0 | refute:0 | stress:0 | protocols:0)
            # One of the catalogue, or a file.
            _berth_offer "$cur" < <(_berth_protocols "$berth")
            _berth_files "$cur" -f -X '!*.c'
            ;;
        esac
    fi
}

complete -F _berth berth
