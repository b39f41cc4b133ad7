#!/usr/bin/env bash
#
# Servers that were not made for Headwater: starts them, fills them by their own APIs, extracts all with the built command, and
# compares it with what the servers themselves say. The configurations are those of catalogue/.
#
#   scripts/real-servers.sh start [NAME]…   install what is missing, start them; prints the path of real-servers.env
#   scripts/real-servers.sh stop [NAME]…    stop what is running
#   scripts/real-servers.sh run [NAME]…     start, fill, extract and compare (one line a check), stop what was started
#
# NAME is one of the servers below; without any, it is all of them. For example: npm run build && scripts/real-servers.sh run directus
#
# How each is installed and started stands in real-servers/NAME.sh, what it is filled with and compared in real-servers/NAME.mjs. They come from the
# registries of Maven, Go, npm and PyPI in the versions that stand there, those of Debian in the version that apt has, and PostgreSQL by services.sh.
# Nothing is installed outside of one folder,
# ${HEADWATER_REAL_SERVERS:-${TMPDIR:-/tmp}/headwater-real-servers}; they listen on free ports of 127.0.0.1 and have
# passwords that everybody knows. `stop` leaves what is installed; remove the folder to begin afresh. Only what this has started is ended.
#
# Needs bash, curl, unzip, node; Java 17 and Maven for Keycloak, Go for PocketBase, Python for Datasette, Django, Kinto, MLflow
# and Synapse, apt-get with a fresh index for the Docker registry and etcd, and what services.sh needs for Directus.
set -euo pipefail

all=(keycloak pocketbase directus couchdb json-server datasette django-rest-framework docker-registry etcd kinto mlflow synapse)

folder=${HEADWATER_REAL_SERVERS:-${TMPDIR:-/tmp}/headwater-real-servers}
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Whoever signs in to these servers has this name and this password.
secret=headwater-1234
email=headwater@example.com

say() { echo "real-servers: $*" >&2; }
fail() {
  say "$*"
  exit 1
}

free_port() {
  node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => {
    console.log(s.address().port); s.close(); })'
}

# A server keeps its port, since addresses of itself stand in what some of them store.
port_of() {
  [ -f "$folder/$1/port" ] || free_port > "$folder/$1/port"
  cat "$folder/$1/port"
}

# Whether the process of the pid file is that server: another may have its number by now.
runs() {
  local pid
  pid=$(cat "$folder/$1/pid" 2> /dev/null) && [ -n "$pid" ] &&
    { tr '\0' '\n' < "/proc/$pid/environ"; } 2> /dev/null | grep -xF "HEADWATER_REAL_SERVER=$folder/$1" > /dev/null
}

# launch NAME PATH COMMAND…: starts the command in the folder of the server, in a process group of its own, and waits until PATH answers.
launch() {
  local name=$1 path=$2 attempt
  shift 2
  (cd "$folder/$name" && exec env HEADWATER_REAL_SERVER="$folder/$name" setsid "$@") > "$folder/$name/server.log" 2>&1 < /dev/null &
  echo $! > "$folder/$name/pid"
  for attempt in $(seq 1500); do
    if curl -sf -o /dev/null -m 2 "http://127.0.0.1:$(port_of "$name")$path"; then return; fi
    runs "$name" || [ "$attempt" -lt 5 ] || break
    sleep 0.2
  done
  fail "$name does not answer: see $folder/$name/server.log"
}

npm_install() { (cd "$folder/$1" && npm init -y > /dev/null && npm install --ignore-scripts --no-audit --no-fund --loglevel=error "${@:2}" >&2); }
pip_install() { python3 -m venv "$folder/$1/venv" && "$folder/$1/venv/bin/pip" -q --disable-pip-version-check install "${@:2}" >&2; }
# Unpacks a package of Debian in the folder of the server: the programs are then below usr/bin.
deb_install() {
  (cd "$folder/$1" && apt-get -q download -o APT::Sandbox::User=root "$2" >&2 && dpkg-deb -x ./*.deb . && rm ./*.deb)
}

for name in "${all[@]}"; do
  # shellcheck source=/dev/null
  . "$scripts/real-servers/$name.sh"
done

start() {
  [ $# -gt 0 ] || set -- "${all[@]}"
  local name
  for name in "$@"; do
    declare -F "start_$name" > /dev/null || fail "there is no server $name; there are: ${all[*]}"
    mkdir -p "$folder/$name"
    if [ ! -f "$folder/$name/installed" ]; then
      say "installing $name"
      # What is half there was not finished.
      find "$folder/$name" -mindepth 1 -delete
      "install_$name" || fail "$name cannot be installed"
      touch "$folder/$name/installed"
    fi
    if runs "$name"; then continue; fi
    say "starting $name"
    "start_$name"
  done
  write_env
}

write_env() {
  local name
  [ -d "$folder" ] || return 0
  {
    echo "HEADWATER_REAL_SECRET=$secret"
    echo "HEADWATER_REAL_EMAIL=$email"
    for name in "${all[@]}"; do
      if runs "$name"; then echo "HEADWATER_REAL_$(tr 'a-z-' 'A-Z_' <<< "$name")=http://127.0.0.1:$(port_of "$name")"; fi
    done
  } > "$folder/real-servers.env.new"
  mv "$folder/real-servers.env.new" "$folder/real-servers.env"
}

# Without names, all are stopped.
stop() {
  local name attempt
  [ $# -gt 0 ] || set -- "${all[@]}"
  for name in "$@"; do
    runs "$name" || continue
    kill -- "-$(cat "$folder/$name/pid")"
    for attempt in $(seq 150); do
      runs "$name" || break
      sleep 0.1
    done
    if runs "$name"; then fail "$name (process $(cat "$folder/$name/pid")) does not end"; fi
    rm -f "$folder/$name/pid"
  done
  if [ -d "$folder/services" ] && ! runs directus; then HEADWATER_SERVICES=$folder/services "$scripts/services.sh" stop; fi
  write_env
}

run() {
  local name
  [ $# -gt 0 ] || set -- "${all[@]}"
  # Servers that somebody else started stay.
  own=()
  for name in "$@"; do runs "$name" || own+=("$name"); done
  [ "${#own[@]}" = 0 ] || trap 'stop "${own[@]}"' EXIT
  start "$@"
  set -a
  # shellcheck source=/dev/null
  . "$folder/real-servers.env"
  set +a
  node "$scripts/real-servers/compare.mjs" "$@"
}

case ${1:-} in
  start) start "${@:2}" && echo "$folder/real-servers.env" ;;
  stop) stop "${@:2}" ;;
  run) run "${@:2}" ;;
  *) fail 'usage: scripts/real-servers.sh start [NAME]… | stop | run [NAME]…' ;;
esac
