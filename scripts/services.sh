#!/usr/bin/env bash
#
# Real servers for the specs that need them: PostgreSQL, MariaDB, NATS with JetStream, and an S3 server (Versity S3 Gateway).
#
#   scripts/services.sh start [postgres|mysql|nats|s3]…   start them; prints the path of services.env
#   scripts/services.sh stop                              stop what is running
#   scripts/services.sh run COMMAND…                      start, run the command with the environment set, stop what was started
#
# For example: scripts/services.sh run npx jest spec/sinks
#
# The first three come from the packages of Debian, which are installed when they are missing (with sudo, unless root runs this; on
# some machines the packages also start servers of their own, on the usual ports, which these do not use). The last one is
# a Go module, which is compiled when it is missing and there is Go; without Go the others are started alone. They
# keep everything in one folder, ${HEADWATER_SERVICES:-${TMPDIR:-/tmp}/headwater-services}, listen on free ports of
# 127.0.0.1, and trust whoever connects: they are for tests on a machine of your own. `stop` leaves the data, the next
# `start` goes on with them; remove the folder to begin afresh. `start` where they run already is fine.
#
# services.env holds NAME=VALUE lines:
#   HEADWATER_TEST_POSTGRES        URL of a database
#   HEADWATER_TEST_POSTGRES_DATA   folder of the PostgreSQL cluster
#   HEADWATER_TEST_POSTGRES_CTL    path of pg_ctl
#   HEADWATER_TEST_POSTGRES_USER   the user of the operating system that pg_ctl has to be run as
#   HEADWATER_TEST_MYSQL           URL of a database of MariaDB
#   HEADWATER_TEST_NATS            URL of the NATS server
#   HEADWATER_TEST_S3              URL of the S3 server, with the bucket "headwater"; its keys are in scripts/services.sh
#
# Needs bash, node, and Debian or one of its kin.
set -euo pipefail

# Debian keeps servers where not every user looks.
PATH=$PATH:/usr/sbin
folder=${HEADWATER_SERVICES:-${TMPDIR:-/tmp}/headwater-services}
env_file=$folder/services.env
cluster=$folder/postgres
mysql_folder=$folder/mysql
mysql_pid_file=$mysql_folder/mariadb.pid
nats_folder=$folder/nats
nats_pid_file=$nats_folder/nats.pid
s3_folder=$folder/s3
s3_pid_file=$s3_folder/versitygw.pid
s3_module=github.com/versity/versitygw/cmd/versitygw@v1.8.0
s3_access=headwater
s3_secret=headwater-secret

# PostgreSQL and MariaDB refuse to be run by root.
if [ "$(id -u)" = 0 ]; then postgres_user=postgres; else postgres_user=$(id -un); fi

say() { echo "services: $*" >&2; }
fail() {
  say "$*"
  exit 1
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
# Runs a command as the user that a server has of its own. From /, because a user who may not enter the current folder cannot start there.
as_user() { if [ "$(id -u)" = 0 ]; then (cd / && runuser -u "$1" -- "${@:2}"); else "${@:2}"; fi; }
as_postgres() { as_user postgres "$@"; }

# Below the ports that the system gives to connections: a server that is started again finds its port free.
free_port() {
  node -e 'const attempt = () => {
    const port = 15000 + Math.floor(Math.random() * 5000);
    const s = require("node:net").createServer().on("error", attempt);
    s.listen(port, "127.0.0.1", () => { console.log(port); s.close(); });
  };
  attempt()'
}

# The newest PostgreSQL that is installed: Debian keeps its commands out of the PATH.
postgres_commands() {
  local found
  found=$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1) || true
  [ -n "$found" ] && dirname "$found"
}

s3_command() { command -v versitygw || { [ -x "$folder/bin/versitygw" ] && echo "$folder/bin/versitygw"; }; }

# It takes 170 seconds of CPU the first time; later versions of Go fetch the one that the module asks for.
install_s3() {
  local go
  go=$(command -v go || command -v /usr/local/go/bin/go) || {
    say 'there is neither versitygw nor Go to compile it: specs of S3 are skipped'
    return 0
  }
  say "compiling $s3_module"
  GOBIN=$folder/bin "$go" install -ldflags '-s -w' "$s3_module" >&2 || say 'versitygw cannot be had: specs of S3 are skipped'
}

# Package installation, for those of the services asked for that are not there.
install_missing() {
  local missing=() service
  for service in "$@"; do
    case $service in
      postgres) postgres_commands > /dev/null || missing+=(postgresql) ;;
      mysql) command -v mariadbd > /dev/null || missing+=(mariadb-server) ;;
      nats) command -v nats-server > /dev/null || missing+=(nats-server) ;;
      s3) s3_command > /dev/null || install_s3 ;;
      *) fail "there is no service $service; there are postgres, mysql, nats and s3" ;;
    esac
  done
  [ "${#missing[@]}" = 0 ] && return
  command -v apt-get > /dev/null || fail "install these first, there is no apt-get here: ${missing[*]}"
  say "installing ${missing[*]}"
  as_root apt-get update -q >&2
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" >&2
}

postgres_runs() { [ -f "$cluster/postmaster.pid" ] && as_postgres "$(postgres_commands)/pg_ctl" status -D "$cluster" > /dev/null; }

start_postgres() {
  local commands
  commands=$(postgres_commands)
  if [ ! -f "$cluster/headwater-port" ]; then
    # Without that file the cluster was not finished.
    rm -rf "$cluster"
    mkdir -p "$cluster"
    if [ "$(id -u)" = 0 ]; then chown postgres "$cluster"; fi
    as_postgres "$commands/initdb" -D "$cluster" -U headwater -A trust -E UTF8 --locale=C.UTF-8 > /dev/null
    free_port > "$cluster/headwater-port"
  fi
  postgres_runs && return
  as_postgres "$commands/pg_ctl" start -w -D "$cluster" -l "$cluster/server.log" \
    -o "-h 127.0.0.1 -p $(cat "$cluster/headwater-port") -k ''" > /dev/null < /dev/null ||
    fail "PostgreSQL does not start: see $cluster/server.log"
}

# Whether the process of a pid file is that server, which has a text in its command: another may have its number by now.
is_running() {
  local pid
  pid=$(cat "$1" 2> /dev/null) && [ -n "$pid" ] && [ -r "/proc/$pid/cmdline" ] &&
    tr '\0' ' ' < "/proc/$pid/cmdline" | grep -qF -- "$2"
}
mysql_runs() { is_running "$mysql_pid_file" "$mysql_pid_file"; }
nats_runs() { is_running "$nats_pid_file" "$nats_pid_file"; }
s3_runs() { is_running "$s3_pid_file" "$s3_folder/objects"; }

start_mysql() {
  local port attempt
  if [ ! -f "$mysql_folder/port" ]; then
    # Without that file the data folder was not finished.
    rm -rf "$mysql_folder"
    mkdir -p "$mysql_folder"
    if [ "$(id -u)" = 0 ]; then chown mysql "$mysql_folder"; fi
    as_user mysql mariadb-install-db --no-defaults --datadir="$mysql_folder/data" --skip-test-db > /dev/null
    free_port > "$mysql_folder/port"
  fi
  port=$(cat "$mysql_folder/port")
  if ! mysql_runs; then
    as_user mysql mariadbd --no-defaults --datadir="$mysql_folder/data" --bind-address=127.0.0.1 --port="$port" \
      --socket="$mysql_folder/server.sock" --pid-file="$mysql_pid_file" --log-error="$mysql_folder/server.log" \
      > /dev/null 2>&1 < /dev/null &
    disown
  fi
  for attempt in $(seq 300); do
    if as_user mysql mariadb --no-defaults --socket="$mysql_folder/server.sock" -e \
      "CREATE DATABASE IF NOT EXISTS headwater; CREATE OR REPLACE USER headwater; GRANT ALL ON *.* TO headwater" \
      > /dev/null 2>&1; then return; fi
    sleep 0.1
  done
  fail "MariaDB does not answer: see $mysql_folder/server.log"
}

start_nats() {
  mkdir -p "$nats_folder"
  [ -f "$nats_folder/port" ] || free_port > "$nats_folder/port"
  local port attempt line
  port=$(cat "$nats_folder/port")
  if ! nats_runs; then
    nats-server -js -sd "$nats_folder" -a 127.0.0.1 -p "$port" -P "$nats_pid_file" -l "$nats_folder/server.log" \
      > /dev/null 2>&1 < /dev/null &
    disown
  fi
  for attempt in $(seq 100); do
    if line=$( (exec 3<> "/dev/tcp/127.0.0.1/$port" && head -n 1 <&3) 2> /dev/null) && [[ $line == INFO* ]]; then return; fi
    sleep 0.1
  done
  fail "nats-server does not answer: see $nats_folder/server.log"
}

start_s3() {
  local command port attempt
  command=$(s3_command) || return 0
  mkdir -p "$s3_folder/objects/headwater" "$s3_folder/about"
  [ -f "$s3_folder/port" ] || free_port > "$s3_folder/port"
  port=$(cat "$s3_folder/port")
  if ! s3_runs; then
    # Some file systems, such as those of containers, have no attributes of files.
    ROOT_ACCESS_KEY_ID=$s3_access ROOT_SECRET_ACCESS_KEY=$s3_secret "$command" --quiet --port "127.0.0.1:$port" \
      posix --sidecar "$s3_folder/about" "$s3_folder/objects" > "$s3_folder/server.log" 2>&1 < /dev/null &
    echo $! > "$s3_pid_file"
    disown
  fi
  for attempt in $(seq 100); do
    if (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then return; fi
    sleep 0.1
  done
  fail "versitygw does not answer: see $s3_folder/server.log"
}

write_env() {
  {
    if [ -f "$cluster/headwater-port" ]; then
      echo "HEADWATER_TEST_POSTGRES=postgres://headwater@127.0.0.1:$(cat "$cluster/headwater-port")/postgres"
      echo "HEADWATER_TEST_POSTGRES_DATA=$cluster"
      echo "HEADWATER_TEST_POSTGRES_CTL=$(postgres_commands)/pg_ctl"
      echo "HEADWATER_TEST_POSTGRES_USER=$postgres_user"
    fi
    if [ -f "$mysql_folder/port" ]; then echo "HEADWATER_TEST_MYSQL=mysql://headwater@127.0.0.1:$(cat "$mysql_folder/port")/headwater"; fi
    if [ -f "$nats_folder/port" ]; then echo "HEADWATER_TEST_NATS=nats://127.0.0.1:$(cat "$nats_folder/port")"; fi
    if s3_runs; then echo "HEADWATER_TEST_S3=http://127.0.0.1:$(cat "$s3_folder/port")"; fi
  } > "$env_file.new"
  mv "$env_file.new" "$env_file"
}

start() {
  [ $# -gt 0 ] || set -- postgres mysql nats s3
  mkdir -p "$folder"
  install_missing "$@"
  local service
  for service in "$@"; do "start_$service"; done
  write_env
}

# Ends the server of a pid file, and waits until it has ended.
end() {
  local attempt pid_file=$1_pid_file
  kill "$(cat "${!pid_file}")"
  for attempt in $(seq 300); do
    "$1_runs" || return 0
    sleep 0.1
  done
  fail "$1 (process $(cat "${!pid_file}")) does not end"
}

stop() {
  if postgres_runs; then as_postgres "$(postgres_commands)/pg_ctl" stop -w -m fast -D "$cluster" > /dev/null; fi
  if mysql_runs; then end mysql; fi
  if nats_runs; then end nats; fi
  if s3_runs; then kill "$(cat "$s3_pid_file")"; fi
  rm -f "$env_file"
}

run() {
  [ $# -gt 0 ] || fail 'run what? For example: scripts/services.sh run npm test'
  # Servers that somebody else started stay.
  if postgres_runs && mysql_runs && nats_runs && { s3_runs || ! s3_command > /dev/null; }; then start; else
    trap stop EXIT
    start
  fi
  set -a
  # shellcheck source=/dev/null
  . "$env_file"
  set +a
  "$@"
}

case ${1:-} in
  start) start "${@:2}" && echo "$env_file" ;;
  stop) stop ;;
  run) run "${@:2}" ;;
  *) fail 'usage: scripts/services.sh start [postgres|mysql|nats|s3]… | stop | run COMMAND…' ;;
esac
