# shellcheck shell=bash
KINTO=26.5.0

install_kinto() { pip_install kinto kinto==$KINTO waitress==3.0.2; }
start_kinto() {
  cat > "$folder/kinto/kinto.ini" << INI
[app:main]
use = egg:kinto
kinto.storage_backend = kinto.core.storage.memory
kinto.permission_backend = kinto.core.permission.memory
kinto.cache_backend = kinto.core.cache.memory
kinto.userid_hmac_secret = $secret
kinto.bucket_create_principals = system.Authenticated
kinto.paginate_by = 200
multiauth.policies = basicauth
[server:main]
use = egg:waitress#main
host = 127.0.0.1
port = $(port_of kinto)
INI
  launch kinto /v1/ venv/bin/kinto start --ini kinto.ini --port "$(port_of kinto)"
}
