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
# They come from the registries of Maven, Go, npm and PyPI in the versions below, and PostgreSQL by services.sh. Everything is in one folder,
# ${HEADWATER_REAL_SERVERS:-${TMPDIR:-/tmp}/headwater-real-servers}; they listen on free ports of 127.0.0.1 and have
# passwords that everybody knows. `stop` leaves what is installed; remove the folder to begin afresh. Only what this has started is ended.
#
# Needs bash, curl, unzip, node; Java 17 and Maven for Keycloak, Go for PocketBase, Python for Datasette and Django, and what services.sh needs for Directus.
set -euo pipefail

KEYCLOAK=26.0.7
POCKETBASE=v0.22.27
DIRECTUS=10.13.4
POUCHDB_SERVER=4.2.0
JSON_SERVER=0.17.4
DATASETTE=0.65.1
DJANGO=5.1.4
DJANGO_REST_FRAMEWORK=3.15.2
all=(keycloak pocketbase directus couchdb json-server datasette django-rest-framework)

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
  for attempt in $(seq 600); do
    if curl -sf -o /dev/null -m 2 "http://127.0.0.1:$(port_of "$name")$path"; then return; fi
    runs "$name" || [ "$attempt" -lt 5 ] || break
    sleep 0.2
  done
  fail "$name does not answer: see $folder/$name/server.log"
}

npm_install() { (cd "$folder/$1" && npm init -y > /dev/null && npm install --ignore-scripts --no-audit --no-fund --loglevel=error "${@:2}" >&2); }
pip_install() { python3 -m venv "$folder/$1/venv" && "$folder/$1/venv/bin/pip" -q --disable-pip-version-check install "${@:2}" >&2; }

install_keycloak() {
  (cd "$folder/keycloak" && mvn -q dependency:copy -Dartifact=org.keycloak:keycloak-quarkus-dist:$KEYCLOAK:zip -DoutputDirectory=. >&2 &&
    unzip -q keycloak-quarkus-dist-$KEYCLOAK.zip && rm keycloak-quarkus-dist-$KEYCLOAK.zip)
}
start_keycloak() {
  launch keycloak /realms/master env KC_BOOTSTRAP_ADMIN_USERNAME=headwater KC_BOOTSTRAP_ADMIN_PASSWORD=$secret \
    "keycloak-$KEYCLOAK/bin/kc.sh" start-dev --http-host=127.0.0.1 --http-port="$(port_of keycloak)"
}

install_pocketbase() { GOBIN=$folder/pocketbase go install github.com/pocketbase/pocketbase/examples/base@$POCKETBASE >&2; }
start_pocketbase() {
  (cd "$folder/pocketbase" && { ./base migrate up --dir data && ./base admin create $email $secret --dir data; } > admin.log 2>&1) ||
    (cd "$folder/pocketbase" && ./base admin update $email $secret --dir data > admin.log 2>&1) || fail "PocketBase: see $folder/pocketbase/admin.log"
  launch pocketbase /api/health ./base serve --dir data --http "127.0.0.1:$(port_of pocketbase)"
}

install_directus() {
  npm_install directus directus@$DIRECTUS pg@8.23.1
  (cd "$folder/directus" && npm rebuild --loglevel=error isolated-vm >&2)
}
# Tokens and sessions of two seconds: a run has many of them.
start_directus() {
  local port services=$folder/services
  port=$(port_of directus)
  HEADWATER_SERVICES=$services "$scripts/services.sh" start postgres > /dev/null
  local settings=(DB_CLIENT=pg "DB_CONNECTION_STRING=$(sed -n 's/^HEADWATER_TEST_POSTGRES=//p' "$services/services.env")"
    HOST=127.0.0.1 "PORT=$port" "PUBLIC_URL=http://127.0.0.1:$port" KEY=headwater SECRET=headwater ADMIN_EMAIL=$email ADMIN_PASSWORD=$secret
    ACCESS_TOKEN_TTL=2s SESSION_COOKIE_TTL=2s TELEMETRY=false WEBSOCKETS_ENABLED=false RATE_LIMITER_ENABLED=false)
  (cd "$folder/directus" && env "${settings[@]}" npx directus bootstrap > bootstrap.log 2>&1) || fail "Directus: see $folder/directus/bootstrap.log"
  launch directus /server/ping env "${settings[@]}" node node_modules/directus/cli.js start
}

install_couchdb() { npm_install couchdb pouchdb-server@$POUCHDB_SERVER; }
start_couchdb() {
  launch couchdb / node node_modules/pouchdb-server/bin/pouchdb-server --in-memory -o 127.0.0.1 -p "$(port_of couchdb)" --no-stdout-logs
  curl -sf -o /dev/null -X PUT -d "\"$secret\"" "http://127.0.0.1:$(port_of couchdb)/_config/admins/headwater" || true
}

install_json-server() { npm_install json-server json-server@$JSON_SERVER; }
start_json-server() {
  node -e 'console.log(JSON.stringify({ posts: Array.from({ length: 1234 }, (_, i) => ({ id: i + 1, title: `post ${i}` })) }))' \
    > "$folder/json-server/db.json"
  launch json-server /posts node node_modules/json-server/lib/cli/bin.js -q -H 127.0.0.1 -p "$(port_of json-server)" db.json
}

install_datasette() { pip_install datasette datasette==$DATASETTE setuptools==75.6.0; }
start_datasette() {
  (cd "$folder/datasette" && rm -f rivers.db && python3 -c '
import sqlite3
db = sqlite3.connect("rivers.db")
db.execute("create table stations (id integer primary key, name text, river text)")
db.executemany("insert into stations values (?, ?, ?)", ((i, f"station {i}", f"river {i % 7}") for i in range(1, 3457)))
db.commit()')
  launch datasette /-/versions.json venv/bin/datasette serve rivers.db -h 127.0.0.1 -p "$(port_of datasette)"
}

install_django-rest-framework() { pip_install django-rest-framework Django==$DJANGO djangorestframework==$DJANGO_REST_FRAMEWORK; }
start_django-rest-framework() {
  cp "$scripts/real-servers/django-rest-framework.py" "$folder/django-rest-framework/"
  rm -f "$folder/django-rest-framework/db.sqlite3"
  launch django-rest-framework /api/?format=json env DB=db.sqlite3 PASSWORD=$secret \
    venv/bin/python django-rest-framework.py "$(port_of django-rest-framework)"
}

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
