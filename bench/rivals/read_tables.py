"""What stands in a DuckDB database, as JSON: python read_tables.py FILE SCHEMA"""

import json
import sys

import duckdb

file, schema = sys.argv[1:]
connection = duckdb.connect(file, read_only=True)
found = {}
names = "SELECT table_name FROM duckdb_tables() WHERE schema_name = ? ORDER BY 1"
for (table,) in connection.execute(names, [schema]).fetchall():
    # What dlt keeps of its runs.
    if table.startswith("_dlt_"):
        continue
    columns = [row[:2] for row in connection.execute(f'DESCRIBE "{schema}"."{table}"').fetchall()]
    cells = ", ".join('CAST("' + name.replace('"', '""') + '" AS VARCHAR)' for name, _ in columns)
    rows = connection.execute(f'SELECT {cells} FROM "{schema}"."{table}"').fetchall()
    found[table] = {"columns": columns, "rows": rows}
print(json.dumps(found))
