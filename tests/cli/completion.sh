#!/bin/bash
# The completions: bash's with bash's own machinery; those of zsh and fish where there is such a
# shell. BERTH is the command under test, SRC the source.
subcommand=
rows_in=
# shellcheck source=pool.bash
. "$(dirname "$0")/pool.bash"

mkdir "$dir/bin" "$dir/empty"
chmod 700 "$dir/empty"
ln -s "$BERTH" "$dir/bin/berth"
PATH=$dir/bin:$PATH
cd "$dir" || exit 1
mkdir a-folder
berth run -j 2 gpu -- true
berth run gnu -- true
berth run disk -- true

# What all of them must offer: the line, up to where the cursor is; then what is offered, or some of
# it with "..." at the end.
cases=$(
    cat <<LIST
berth ru|run
berth res|resize
berth s|search space status stress
berth run g|gnu gpu
berth run -j 4 --env A=b g|gnu gpu
berth run --store $dir/empty g|
berth run gpu --nonb|--nonblock
berth run --c|--close --command --conflict-exit-code
berth run --store $dir/a-f|$dir/a-folder
berth run gpu -- mkfif|mkfifo
berth run gpu -n mkfif|mkfifo
berth run gpu -- cat ./a-f|./a-folder
berth run gpu mkfif|mkfifo
berth run gpu,di|gpu,disk
berth run gpu,disk -- cat ./a-f|./a-folder
berth run gpu cat -- ./a-f|./a-folder
berth cr|create
berth create --decl|--declared
berth kill g|gnu gpu
berth drain g|gnu gpu
berth drain gpu |
berth wait gpu d|disk
berth help stat|status
berth hel|help
berth run gpu --exi|--existing
berth rm --fo|--force
berth status |disk gnu gpu
berth status --j|--json
berth to|top
berth top g|gnu gpu
berth top -d 2 d|disk
berth top --o|--once
berth top --d|--delay
berth space --svg ./a-f|./a-folder
berth rm gpu d|disk
berth resize g|gnu gpu
berth resize gpu |
berth wait --store $BERTH_STORE --timeout 3 d|disk
berth ls --q|--quiet
berth check rp-tw|rp-two ...
berth check rp-two --fault d|death
berth trace rp-tw|rp-two ...
berth trace rp-two ./a-f|./a-folder
berth trace rp-two --sch|--schedule
berth explore burns-bit/no-|burns-bit/no-test ...
berth check rp-two --fa|--fault
berth stress burns-bit/no-|burns-bit/no-test ...
berth refute burns-bi|burns-bit ...
berth refute burns-bit --theorem 4.1|4.10 4.12
berth refute --table ./a-f|./a-folder
berth search --goal l|lockout-free
berth prove burns-bi|burns-bit ...
berth prove burns-a --solver c|cvc5
berth prove --wi|--without
LIST
)

# all_offered SHELL FUNCTION: FUNCTION prints what is offered for the words that it is called with.
all_offered() {
    local line expected offered
    local -a words
    while IFS='|' read -r line expected; do
        read -ra words <<<"$line"
        [[ $line != *' ' ]] || words+=('')
        offered=$("$2" "${words[@]}" 2>"$output" | sed 's|/$||' | sort -u | tr '\n' ' ')
        offered=${offered% }
        if [[ $expected == *' ...' ]]; then
            [[ " $offered " == *" ${expected% ...} "* ]]
        else
            [ "$offered" = "$expected" ]
        fi || complain "$1: $line: offers [$offered], not [$expected]"
        [ ! -s "$output" ] || complain "$1: $line: says something"
    done <<<"$cases"
}

# ---- bash ----

# shellcheck source=../../completions/berth.bash
. "$SRC/completions/berth.bash"
[ "$(complete -p berth)" = 'complete -F _berth berth' ] || complain "bash: $(complete -p berth)"
in_bash() {
    # shellcheck disable=SC2034 # _berth reads them
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _berth berth "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
    printf '%s\n' "${COMPREPLY[@]}"
}
all_offered bash in_bash
# The = of an option is a word of its own in bash.
[ "$(in_bash berth wait --store = "$dir/a-f")" = "$dir/a-folder" ] || complain "bash: --store=FOLDER"
[ -z "$(in_bash berth run --store = "$dir/empty" g)" ] || complain "bash: pools of another store"
# The same through an interactive shell's Tab key, where bash-completion is not in the way.
python3 - "$SRC/completions/berth.bash" <<'END' >"$output" || complain "bash: the Tab key"
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execvp('bash', ['bash', '--norc', '-i'])
time.sleep(0.2)
os.write(terminal, f'. {sys.argv[1]}\n'.encode())
os.write(terminal, b"berth run dis\t-- sh -c 'echo pool=$BERTH_POOL'\nexit\n")
seen = b''
while True:
    try:
        block = os.read(terminal, 1000)
    except OSError:
        break
    if not block:
        break
    seen += block
os.waitpid(pid, 0)
print(seen.decode(errors='replace'))
sys.exit(b'pool=disk' not in seen)
END

# ---- names that strangers wrote: none is expanded, and none is offered that no pool can have ----

mkdir "$dir/strange"
cat >"$dir/strange/berth" <<END
#!/bin/bash
[ "\$1 \$2" = 'ls -q' ] || exec "$BERTH" "\$@"
printf '%s\n' 'gpu-good' 'gpu-\$(touch $dir/ran)' 'gpu-\`touch $dir/ran\`' 'gpu-;touch $dir/ran' \
    'gpu-two words' 'gpu-*' 'gpu-\$HOME' '~root' '.gpu' '-gpu' 'gpu-\$((i=9))' "gpu-'" 'gpu-"' 'gpu-\\' 'gpu-/../x' \
    'gpu-<(touch $dir/ran)' \$'gpu-\e[2J' \$'gpu-\x9b2J' \$'gpu-\xff' \$'gpu-\u202e' \$'gpu-\r'
printf 'gpu-\\0nul\n'
END
chmod +x "$dir/strange/berth"
cases_with_strangers='berth run gpu-|gpu-good
berth run gpu-good,gpu-|gpu-good,gpu-good
berth status gpu-|gpu-good
berth wait gpu-good gpu-|gpu-good
berth rm |gpu-good
berth status $|
berth status ~|'
# strangers SHELL FUNCTION
strangers() {
    local PATH=$dir/strange:$PATH cases=$cases_with_strangers
    all_offered "$1, with names of strangers" "$2"
    [ ! -e "$dir/ran" ] || complain "$1: a name was run as a command"
    rm -f "$dir/ran"
}
strangers bash in_bash
# A file's name is quoted when it is inserted: it is never what the shell would run.
mkdir "$dir/files"
touch "$dir/files/\$(touch ran).c"
python3 - "$SRC/completions/berth.bash" "$dir" <<'END' >"$output" || complain "bash: the name of a file is run"
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(sys.argv[2])
    os.execvp('bash', ['bash', '--norc', '-i'])
time.sleep(0.2)
os.write(terminal, f'. {sys.argv[1]}\n'.encode())
for line in (b'berth check files/\t\n', b'berth trace peterson files/\t\n', b'berth run gpu -- cat files/\t\n'):
    os.write(terminal, line)
os.write(terminal, b'exit\n')
while True:
    try:
        block = os.read(terminal, 1000)
    except OSError:
        break
    if not block:
        break
    print(block.decode(errors='replace'))
os.waitpid(pid, 0)
sys.exit(os.path.exists(sys.argv[2] + '/ran'))
END
# ---- zsh, with what it would do at the end of the functions ----

if command -v zsh >/dev/null; then
    zsh -n "$SRC/completions/_berth" || complain "zsh: syntax"
    cat >zsh-offers <<'END'
emulate zsh
words=("$@") CURRENT=$# PREFIX=${@[-1]}
beginning() { print -l -- $IPREFIX${^${(M)@:#$PREFIX*}}; }
compadd() { if [[ $1 == -a ]]; then beginning ${(P)2}; else [[ $1 == -- ]] && shift; beginning "$@"; fi; }
_describe() { beginning ${${(P)2}%%:*}; }
_directories() { print -l -- $PREFIX*(/N); }
_files() { print -l -- $PREFIX*(N); }
_command_names() { beginning ${(k)commands}; }
_normal() { if ((CURRENT == 1)) { _command_names } else { PREFIX=$words[CURRENT] _files }; }
_message() { : }
compset() { # -P PATTERN
    if [[ $2 == '*,' ]]; then
        [[ $PREFIX == *,* ]] && IPREFIX=${PREFIX%,*}, PREFIX=${PREFIX##*,}
    else
        PREFIX=${PREFIX#*=}
    fi
}
source $SRC/completions/_berth
END
    # shellcheck disable=SC2317 # called by all_offered
    in_zsh() { SRC=$SRC zsh -f zsh-offers "$@"; }
    all_offered zsh in_zsh
    strangers zsh in_zsh
fi

# ---- fish ----

if command -v fish >/dev/null; then
    fish -n "$SRC/completions/berth.fish" || complain "fish: syntax"
    # shellcheck disable=SC2016,SC2317 # for fish; called by all_offered
    in_fish() {
        fish --no-config -c 'source $argv[1]; complete -C "$argv[2..-1]"' "$SRC/completions/berth.fish" "$@" |
            cut -f 1
    }
    all_offered fish in_fish
    strangers fish in_fish
fi

finish
