# shellcheck shell=bash
install_docker-registry() { deb_install docker-registry docker-registry; }
start_docker-registry() {
  rm -rf "$folder/docker-registry/data"
  # shellcheck disable=SC2016 # This is the bcrypt hash of the password.
  echo 'headwater:$2b$04$cKr2SuRHXr9I4ttlsLFaWOFFxt3dzLht6BPQCEJ/kFXCxmDmkXk2.' > "$folder/docker-registry/users"
  cat > "$folder/docker-registry/config.yml" << YAML
version: 0.1
log: { level: warn, accesslog: { disabled: true } }
storage: { filesystem: { rootdirectory: ./data }, delete: { enabled: true } }
http: { addr: "127.0.0.1:$(port_of docker-registry)" }
auth: { htpasswd: { realm: headwater, path: ./users } }
YAML
  launch docker-registry / usr/bin/docker-registry serve config.yml
}
