# shellcheck shell=bash
JSON_SERVER=0.17.4

install_json-server() { npm_install json-server json-server@$JSON_SERVER; }
start_json-server() {
  node -e 'console.log(JSON.stringify({ posts: Array.from({ length: 1234 }, (_, i) => ({ id: i + 1, title: `post ${i}` })) }))' \
    > "$folder/json-server/db.json"
  launch json-server /posts node node_modules/json-server/lib/cli/bin.js -q -H 127.0.0.1 -p "$(port_of json-server)" db.json
}
