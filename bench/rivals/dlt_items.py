"""dlt: python dlt_items.py BASE_URL LIMIT FOLDER filesystem|duckdb

The rest_api source into JSON lines, or into one table of a DuckDB database, set so that the items come out as they went
in, which is also faster: nothing compressed on the way, and lists that stay in their items instead of becoming tables.
For lines, no search for times in texts, since dlt writes those in another way. Into DuckDB it hands the rows over as
Parquet, which it loads about four times as fast as its default.
"""

import os
import sys

base_url, limit, folder, kind = sys.argv[1:]
os.environ |= {
    "RUNTIME__DLTHUB_TELEMETRY": "false",
    "RUNTIME__LOG_LEVEL": "ERROR",
    "DATA_WRITER__DISABLE_COMPRESSION": "true",
    "NORMALIZE__DATA_WRITER__DISABLE_COMPRESSION": "true",
}

# The settings are read when it is imported.
import dlt  # noqa: E402
from dlt.sources.rest_api import rest_api_source  # noqa: E402

endpoint = {
    "path": "items",
    "data_selector": "items",
    "paginator": {"type": "offset", "limit": int(limit), "total_path": None},
}
source = rest_api_source(
    {"client": {"base_url": base_url}, "resources": [{"name": "items", "endpoint": endpoint}]}
)
source.max_table_nesting = 0
if kind == "duckdb":
    destination = dlt.destinations.duckdb(os.path.join(folder, "rows.duckdb"))
    file_format = "parquet"
else:
    source.schema.remove_type_detection("iso_timestamp")
    destination = dlt.destinations.filesystem(os.path.join(folder, "out"))
    file_format = "jsonl"
pipeline = dlt.pipeline(
    "bench",
    pipelines_dir=os.path.join(folder, "pipelines"),
    destination=destination,
    dataset_name="bench",
)
pipeline.run(source, loader_file_format=file_format).raise_on_failed_jobs()
