#!/usr/bin/env bash
#
# A Temporal server for the specs of clusters:
#
#   scripts/temporal.sh start            build it if it was not, start it; prints its address
#   scripts/temporal.sh stop [-9]        stop it; with -9 at once, as a crash would
#   scripts/temporal.sh run COMMAND…     start it, run the command with HEADWATER_TEST_TEMPORAL set, stop it
#
# The server is a Go module, which takes some minutes to compile the first time. The package of workers brings a compiler of its own, and
# one spec alone needs it: it is found by NODE_PATH. Everything is kept in
# ${HEADWATER_TEMPORAL:-${TMPDIR:-/tmp}/headwater-temporal}: the server, and its store in SQLite, which outlives `stop`. A second server
# beside it has a folder of its own for its store, HEADWATER_TEMPORAL_STORE, and another HEADWATER_TEMPORAL_PORT. A file limits.yaml in that
# folder changes limits of the server, as its dynamic configuration.
#
# Needs bash, node, npm and Go.
set -euo pipefail

module=go.temporal.io/server/cmd/server@v1.30.4
folder=${HEADWATER_TEMPORAL:-${TMPDIR:-/tmp}/headwater-temporal}
root=$(cd "$(dirname "$0")/.." && pwd)
server=$folder/bin/server
packages=$folder/node_modules
store=${HEADWATER_TEMPORAL_STORE:-$folder}
pid_file=$store/pid
port=${HEADWATER_TEMPORAL_PORT:-17233}
address=127.0.0.1:$port

say() { echo "temporal: $*" >&2; }

build() {
  mkdir -p "$folder/bin"
  [ -x "$server" ] || {
    say "compiling $module"
    GOBIN=$folder/bin "$(command -v go || echo /usr/local/go/bin/go)" install -ldflags '-s -w' "$module" >&2 || return 1
  }
  [ -d "$packages/@temporalio/worker" ] || {
    version=$(node -p 'require(process.argv[1]).version' "$root/node_modules/@temporalio/client/package.json")
    npm install --prefix "$folder" --no-save --no-audit --no-fund --ignore-scripts "@temporalio/worker@$version" >&2
  }
}

configure() {
  local at=$((port + 1))
  sqlite() {
    cat << STORE
    $1:
      sql:
        pluginName: sqlite
        databaseName: $store/store.db
        connectAddr: localhost
        connectProtocol: tcp
        connectAttributes: { cache: private, setup: true, journal_mode: wal, synchronous: 2 }
        maxConns: 1
        maxIdleConns: 1
STORE
  }
  service() {
    printf '  %s:\n    rpc: { grpcPort: %s, membershipPort: %s, bindOnLocalHost: true }\n' "$1" "$2" "$((at += 1))"
  }
  {
    printf 'log: { stdout: true, level: error }\n'
    printf 'persistence:\n  defaultStore: main\n  visibilityStore: visibility\n  numHistoryShards: 1\n  datastores:\n'
    sqlite main
    sqlite visibility
    printf 'global:\n  membership: { maxJoinDuration: 30s, broadcastAddress: 127.0.0.1 }\n'
    printf 'services:\n'
    service frontend "$port"
    service history "$((at += 1))"
    service matching "$((at += 1))"
    service worker "$((at += 1))"
    printf 'clusterMetadata:\n  enableGlobalNamespace: false\n  failoverVersionIncrement: 10\n  masterClusterName: active\n'
    printf '  currentClusterName: active\n  clusterInformation:\n    active: { enabled: true, initialFailoverVersion: 1, '
    printf 'rpcName: frontend, rpcAddress: %s }\n' "$address"
    printf 'dcRedirectionPolicy: { policy: noop }\n'
    [ ! -f "$store/limits.yaml" ] || printf 'dynamicConfigClient: { filepath: %s, pollInterval: 10s }\n' "$store/limits.yaml"
  } > "$store/development.yaml"
}

runs() { [ -f "$pid_file" ] && kill -0 "$(cat "$pid_file")" 2> /dev/null; }

start() {
  build || return 1
  runs || {
    configure
    (cd "$store" && exec setsid "$server" --root "$store" --config . --env development --allow-no-auth start > "$store/log" 2>&1) &
    echo $! > "$pid_file"
  }
  # Resolves when the server answers and has the namespace.
  (cd "$root" && node -e '
    const { Connection } = require("@temporalio/client");
    const again = async (left) => {
      try {
        const connection = await Connection.connect({ address: process.argv[1], connectTimeout: 1000 });
        const named = { namespace: "default", workflowExecutionRetentionPeriod: { seconds: 86400 } };
        await connection.workflowService.registerNamespace(named).catch((error) => {
          if (error.code !== 6) throw error;
        });
        await connection.workflowService.listWorkflowExecutions({ namespace: "default" });
        await connection.close();
      } catch (error) {
        if (left === 0) throw error;
        await new Promise((done) => setTimeout(done, 500));
        await again(left - 1);
      }
    };
    again(120);
  ' "$address")
  echo "$address"
}

stop() {
  runs || return 0
  kill "${1:--TERM}" "$(cat "$pid_file")"
  while runs; do sleep 0.1; done
}

case ${1:-} in
  start) start ;;
  stop) stop "${2:--TERM}" ;;
  run)
    # A machine without Go cannot build it.
    if HEADWATER_TEST_TEMPORAL=$(start); then export HEADWATER_TEST_TEMPORAL NODE_PATH=$packages; else say 'no server: the specs of clusters are skipped'; fi
    status=0
    "${@:2}" || status=$?
    stop
    exit $status
    ;;
  *)
    sed -n '3,15p' "$0" | sed 's/^# \{0,1\}//'
    exit 2
    ;;
esac
