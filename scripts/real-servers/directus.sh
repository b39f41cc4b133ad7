# shellcheck shell=bash
DIRECTUS=10.13.4

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
