# shellcheck shell=bash
POCKETBASE=v0.22.27

install_pocketbase() { GOBIN=$folder/pocketbase go install github.com/pocketbase/pocketbase/examples/base@$POCKETBASE >&2; }
start_pocketbase() {
  (cd "$folder/pocketbase" && { ./base migrate up --dir data && ./base admin create $email $secret --dir data; } > admin.log 2>&1) ||
    (cd "$folder/pocketbase" && ./base admin update $email $secret --dir data > admin.log 2>&1) || fail "PocketBase: see $folder/pocketbase/admin.log"
  launch pocketbase /api/health ./base serve --dir data --http "127.0.0.1:$(port_of pocketbase)"
}
