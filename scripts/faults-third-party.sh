#!/usr/bin/env bash
# Faults by a tool that nobody here wrote: toxiproxy (https://github.com/Shopify/toxiproxy) between the engine and a server on
# this machine. Needs Go, the registry of Go's modules, and a build of this project (npm run build). Not part of .ci/run.
set -euo pipefail
cd "$(dirname "$0")/.."
version=2.5.0
home="${HEADWATER_TOXIPROXY:-${TMPDIR:-/tmp}/headwater-toxiproxy-$version}"
server="$home/bin/server"
if [ ! -x "$server" ]; then
  GOPATH="$home/go" GOBIN="$home/bin" GOCACHE="$home/cache" GOFLAGS=-modcacherw CGO_ENABLED=0 \
    go install "github.com/Shopify/toxiproxy/v2/cmd/server@v$version"
fi
node scripts/faults-third-party.mjs "$server"
