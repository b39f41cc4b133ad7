# shellcheck shell=bash
POUCHDB_SERVER=4.2.0

install_couchdb() { npm_install couchdb pouchdb-server@$POUCHDB_SERVER; }
start_couchdb() {
  launch couchdb / node node_modules/pouchdb-server/bin/pouchdb-server --in-memory -o 127.0.0.1 -p "$(port_of couchdb)" --no-stdout-logs
  curl -sf -o /dev/null -X PUT -d "\"$secret\"" "http://127.0.0.1:$(port_of couchdb)/_config/admins/headwater" || true
}
