#!/bin/bash
# Every option that a command takes, by the table that it gives to getopt, is in its --help, in the
# OPTIONS of its manual page, and in what is offered by completion; and no other is. So are the options that
# protocols declare, for which the manual page refers to the help. Where an option
# takes a FILE, the completions of all shells offer files. BERTH is the command under test, SRC the
# source.
set -u
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 77; }

# What bash offers for an option of a command.
# shellcheck source=../../completions/berth.bash
. "$SRC/completions/berth.bash"
offered=$(
    for command in $("$BERTH" --help | sed -nE 's/^  ([a-z]+) .*/\1/p'); do
        # shellcheck disable=SC2034 # _berth reads them
        COMP_WORDS=(berth "$command" -) COMP_CWORD=2
        _berth "$BERTH" - "$command"
        echo "$command ${COMPREPLY[*]}"
    done
)

python3 - "$BERTH" "$SRC" "$offered" <<'END'
import glob, json, re, subprocess, sys

berth, source, offered = sys.argv[1:4]
declared = {'--' + option['option'] for protocol in json.loads(subprocess.run(
    [berth, 'protocols', '--json'], capture_output=True, check=True).stdout)['protocols']
    for option in protocol.get('declares', [])}
assert declared, 'no protocol declares an option'
wrong = []


def read(path):
    return open(f'{source}/{path}', encoding='utf-8').read()


macros = {}
for header in glob.glob(f'{source}/cli/*.h'):
    for name, body in re.findall(r'^#define (CLI_\w+) *((?:.*\\\n)*.*)', open(header, encoding='utf-8').read(), re.M):
        macros[name] = body


def table(command):
    """The options of a command, as its source has them."""
    elsewhere = {'top': 'top/main', 'jobserver': 'jobserver/main', 'run': 'run_options', 'wait': 'wait_for', 'drain': 'wait_for'}
    text = read(f'cli/{elsewhere.get(command, command)}.c')
    text = text.partition('\nconst struct cli_command ')[0]
    for _ in range(3):  # macros of macros
        text = re.sub(r'\bCLI_(CHOICE_OPTIONS|MEMORY_OPTIONS|SUBJECT_LONG|SUBJECT_SHORT|LONG_OPTION_STORE)\b',
                      lambda found: macros[found[0]], text)
    found = {'--' + name for name in re.findall(r'"([a-z-]+)",\s*(?:required|no|optional)_argument', text)}
    found |= set(re.findall(r'strcmp\(argv\[\w+\], "(--[a-z]+)"\)', text))
    for letters in re.findall(r'getopt_long\(\w+, \w+, ([^,]*),', text):
        found |= {'-' + letter for letter in re.sub(r'[^A-Za-z]', '', letters)}
    return found - {'--help', '-h'}


def options(text):
    return set(re.findall(r'(?<![\w-])--?[A-Za-z][a-z-]*', text)) - {'--help', '-h'}


commands = [line.split() for line in offered.splitlines()]
for command, *words in commands:
    taken = table(command)
    headings = re.findall(r'^  (-.*?)(?:  .*)?$', subprocess.run(
        [berth, command, '--help'], capture_output=True, text=True, check=True).stdout, re.M)
    page = read(f'man/berth-{command}.1').replace('\\-', '-')
    page = re.search(r'^\.SH OPTIONS\n(.*?)^\.SH', page, re.S | re.M)
    tags = re.findall(r'^\.T[PQ]\n(.*(?:\\\n.*)*)', page[1] if page else '', re.M)
    if command in ('check', 'trace', 'explore', 'stress'):  # the manual says where they are listed
        taken |= declared
        tags += declared if 'an option of the protocol' in ' '.join(tags) else []
    for where, there in [('--help', options(' '.join(headings))),
                         ('the manual', options(re.sub(r'\\f.|"', ' ', ' '.join(tags)))),
                         ('completion', set(words) - {'--help'})]:
        for option in sorted(taken - there):
            wrong.append(f'{command}: {option} is not in {where}')
        for option in sorted(there - taken):
            wrong.append(f'{command}: {option} is in {where}, and is not taken')
    for option in [word for heading in headings if heading.endswith(' FILE') for word in options(heading)]:
        for file in ('berth.bash', '_berth', 'berth.fish'):
            if not re.search(re.escape(option) + r'\b', read(f'completions/{file}')):
                wrong.append(f'{command}: {file} offers no files for {option}')
    if command != 'protocols' and not any(option.startswith('--') for option in taken):
        wrong.append(f'{command}: no options were found in its source')
for line in wrong:
    print(line)
print(f'{len(commands)} commands, {len(wrong)} differences')
sys.exit(bool(wrong) or len(commands) < 10)
END
