#!/bin/sh
# The pages of berth in a real browser: tests/page. Skipped where there is no Node, no Chromium, or no
# playwright-core in tests/page/node_modules; tools/setup sees to all three.
cd "$SRC/tests/page" || exit 1
skip() {
    echo "SKIPPED: $1"
    exit 77
}
command -v node >/dev/null || skip "node is not installed"
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip "chromium is not installed"
[ -d node_modules/playwright-core ] || skip "playwright-core is not installed: tools/setup"
export CHROMIUM
exec node --test
