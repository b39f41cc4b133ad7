#!/usr/bin/env bash
#
# The browser of the specs in spec/studio: Chromium, from the packages of Debian, installed when it is missing (with sudo, unless root
# runs this).
#
#   scripts/browser.sh
#
# Without apt-get it says so and does nothing: these specs are skipped then. HEADWATER_TEST_CHROMIUM names another Chromium.
set -euo pipefail

say() { echo "browser: $*" >&2; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

if [ -x "${HEADWATER_TEST_CHROMIUM:-/usr/bin/chromium}" ]; then exit 0; fi
if ! command -v apt-get > /dev/null; then
  say 'there is no apt-get here: specs of the studio are skipped'
  exit 0
fi
say 'installing chromium'
as_root apt-get update -q >&2
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends chromium fonts-dejavu-core >&2
