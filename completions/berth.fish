# fish completion for berth(1). Commands and options are read from `berth --help` and `berth COMMAND
# --help`, so they are those of the berth that is installed: an option's line starts with two spaces
# and a dash, what it is called ends at the next two spaces, and a word in capitals says that it takes
# an argument.

function __berth_command --description 'the command that was typed, if there is one'
    set -l words (commandline -opc)
    test (count $words) -ge 2
    and echo $words[2]
end

function __berth_options --description 'the options of a command; with an argument, if told so'
    berth $argv[1] --help 2>/dev/null | string match -r '^  -.*' | while read -l line
        set -l heading (string replace -r '  .*' '' -- (string trim -l -- $line))
        if test "$argv[2]" != taking; or string match -qr ' [A-Z]' -- $heading
            string split -n ' ' -- (string replace -a , ' ' -- $heading) | string match -- '-*'
        end
    end
end

# The number of arguments before this one that are no options; `value OPTION` where this one is the
# argument of an option.
function __berth_place
    set -l words (commandline -opc)
    set -l taking (__berth_options $words[2] taking)
    set -l count 0
    set -l value
    for word in $words[3..-1]
        if test -n "$value"
            set value
        else if test "$word" = --
            continue
        else if contains -- $word $taking
            set value $word
        else if not string match -q -- '-*' $word
            set count (math $count + 1)
        end
    end
    if test -n "$value"
        echo value $value
    else
        echo $count
    end
end

function __berth_store --description 'the store that was named on the line'
    set -l words (commandline -opc)
    for i in (seq 3 (count $words))
        string replace -f -r -- '^--store=' '' $words[$i]
        test "$words[$i]" = --store; and echo $words[(math $i + 1)]
    end
end

function __berth_pools --description 'the pools of a store, or of the default one'
    # Names may come from strangers: only what can be a pool's name is offered.
    if test -n "$argv[1]"
        berth ls -q --store $argv[1] 2>/dev/null
    else
        berth ls -q 2>/dev/null
    end | string match -r '^[A-Za-z0-9_][A-Za-z0-9._-]*$'
end

function __berth_words --description 'what may come at this place'
    set -l command (__berth_command)
    set -l place (__berth_place)
    set -l store (__berth_store)
    switch "$command $place"
        case '* value --tree'
            printf '%s\n' end wait leave
        case '* value --solver'
            printf '%s\n' z3 cvc5
        case '* value --store' '* value --smt' '* value --witness' '* value --svg'
            __fish_complete_path (commandline -ct)
        case '* value --table' '* value --write' '* value --rules-from' '* value --log'
            __fish_complete_path (commandline -ct)
        case '* value --theorem'
            printf '%s\n' 4.4 4.5 4.9 4.10 4.12 5.1 5.2 5.3
        case '* value --goal'
            printf '%s\n' deadlock-free lockout-free bounded-waiting
        case '* value --memory-model'
            printf '%s\n' sc tso native
        case '* value --registers'
            printf '%s\n' atomic regular safe
        case '* value --rmr'
            printf '%s\n' cc dsm
        case '* value --export'
            printf '%s\n' dot aut tla promela c11
        case '* value --fault'
            printf '%s\n' none death sleep kill
        case '* value --ranker'
            printf '%s\n' 0 a c s
        case '* value --graph'
            printf '%s\n' ring path complete
            __fish_complete_path (commandline -ct)
        case '* value --reads'
            printf '%s\n' packed state-rank rank-state
        case '* value -g' '* value --group'
            __fish_complete_groups
        case '* value *'
            # An option that a protocol declares: "  --timestamps T   unbounded or bounded, for fife:".
            set -l option (string replace -r '.* ' '' -- $place)
            berth $command --help 2>/dev/null | string replace -fr "^  $option [A-Z]+ +(.*), for .*:\$" '$1' |
                string replace -a ' or ' ', ' | string split ', '
            return
        case 'run 0'
            # several, with commas between them
            set -l before (string match -r '.*,' -- (commandline -ct))
            for pool in (__berth_pools $store)
                echo "$before"$pool
            end
        case 'create 0' 'status 0' 'top 0' 'resize 0' 'drain 0' 'wait *' 'rm *' 'kill 0'
            __berth_pools $store
        case 'log 0'
            berth jobs 2>/dev/null | awk 'NR > 1 { print $1 }'
        case 'help 0'
            berth --help 2>/dev/null | string replace -fr '^  ([a-z]+) .*' '$1'
        case 'run 1'
            string match -q -- '-*' (commandline -ct)
            or __berth_subcommand
        case 'run *'
            __berth_subcommand
            return
        case 'trace 1'
            __fish_complete_path (commandline -ct)
        case 'check 0' 'prove 0' 'trace 0' 'explore 0' 'space 0' 'refute 0' 'stress 0' 'protocols 0'
            __fish_complete_suffix .c
            berth protocols 2>/dev/null | awk '/^[^ ]/ { name = $1; print name }
                $1 ~ "^/" { sub(":$", "", $1); print name $1 }'
    end
    string match -q -- '-*' (commandline -ct)
    and __berth_options $command
end

# The command that `berth run POOL` is to run starts after the pool.
function __berth_subcommand
    set -l words (commandline -opc)
    set -l taking (__berth_options run taking)
    set -l pool no
    set -l i 3
    while test $i -le (count $words)
        if test "$words[$i]" = --
        else if contains -- $words[$i] $taking
            set i (math $i + 1)
        else if string match -q -- '-*' $words[$i]
        else if test $pool = no
            set pool yes
        else
            break
        end
        set i (math $i + 1)
    end
    complete -C (string join ' ' -- (string escape -- $words[$i..-1]) (commandline -ct))
end

complete -c berth -f
complete -c berth -n 'not __berth_command' \
    -a "(berth --help 2>/dev/null | string replace -fr '^  ([a-z]+) +(.*)' '\$1\t\$2')"
complete -c berth -n 'not __berth_command' -a help -d 'say more about a command'
complete -c berth -n 'not __berth_command' -l help -d 'list the commands'
complete -c berth -n 'not __berth_command' -l version -d 'print the version'
complete -c berth -n __berth_command -a '(__berth_words)'
