# shellcheck shell=bash
SYNAPSE=1.163.2

install_synapse() { pip_install synapse matrix-synapse==$SYNAPSE; }
# Tokens of two seconds, which a refresh token renews.
start_synapse() {
  rm -rf "$folder/synapse/"{server.db*,media}
  local limit='{ per_second: 100000, burst_count: 100000 }'
  cat > "$folder/synapse/server.yaml" << YAML
server_name: headwater.example
listeners: [{ bind_addresses: [127.0.0.1], port: $(port_of synapse), type: http, resources: [{ names: [client] }] }]
database: { name: sqlite3, args: { database: ./server.db } }
media_store_path: ./media
signing_key_path: ./signing.key
registration_shared_secret: $secret
macaroon_secret_key: headwater
form_secret: headwater
report_stats: false
trusted_key_servers: []
federation_domain_whitelist: []
refreshable_access_token_lifetime: 2s
bcrypt_rounds: 4
rc_message: $limit
rc_login: { address: $limit, account: $limit, failed_attempts: $limit }
rc_joins: { local: $limit, remote: $limit }
rc_room_creation: $limit
YAML
  (cd "$folder/synapse" && venv/bin/python -m synapse.app.homeserver -c server.yaml --generate-keys) > "$folder/synapse/keys.log" 2>&1 ||
    fail "Synapse: see $folder/synapse/keys.log"
  launch synapse /health venv/bin/python -m synapse.app.homeserver -c server.yaml
}
