# shellcheck shell=bash
DATASETTE=0.65.1

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
