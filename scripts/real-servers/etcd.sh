# shellcheck shell=bash
install_etcd() { deb_install etcd etcd-server; }
# Tokens of two seconds: a run has many of them.
start_etcd() {
  local url
  url=http://127.0.0.1:$(port_of etcd)
  rm -rf "$folder/etcd/data"
  launch etcd /version usr/bin/etcd --data-dir data --listen-client-urls "$url" --advertise-client-urls "$url" \
    --listen-peer-urls http://127.0.0.1:0 --auth-token-ttl 2 --bcrypt-cost 4
}
