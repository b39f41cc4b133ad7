#!/usr/bin/env bash
# Installs the rivals of the benchmark: bench/rivals/install.sh [FOLDER]
# Without a folder they go where bench/throughput.mjs looks for them unless RIVALS_VENV names another one.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
folder="${1:-${RIVALS_VENV:-${TMPDIR:-/tmp}/headwater-rivals}}"
python3 -m venv "$folder"
"$folder/bin/python" -m pip install --disable-pip-version-check --quiet --requirement "$here/requirements.txt"
"$folder/bin/python" -m pip list --disable-pip-version-check | grep --extended-regexp '^(dlt|airbyte-cdk) '
