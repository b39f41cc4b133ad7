# shellcheck shell=bash
KEYCLOAK=26.0.7

install_keycloak() {
  (cd "$folder/keycloak" && mvn -q dependency:copy -Dartifact=org.keycloak:keycloak-quarkus-dist:$KEYCLOAK:zip -DoutputDirectory=. >&2 &&
    unzip -q keycloak-quarkus-dist-$KEYCLOAK.zip && rm keycloak-quarkus-dist-$KEYCLOAK.zip)
}
start_keycloak() {
  launch keycloak /realms/master env KC_BOOTSTRAP_ADMIN_USERNAME=headwater KC_BOOTSTRAP_ADMIN_PASSWORD=$secret \
    "keycloak-$KEYCLOAK/bin/kc.sh" start-dev --http-host=127.0.0.1 --http-port="$(port_of keycloak)"
}
