"""dlt with its default settings: python dlt_tables.py BASE_URL ENDPOINT FOLDER [LIMIT [FORMAT]]

The rest_api source into the tables of a DuckDB database, `bench.…` in FOLDER/rows.duckdb: rows are added, lists become
tables. With LIMIT the endpoint is paged by offset, and the items stand under `items`; without, it is one page. With FORMAT
rows are handed over in that one: as `parquet` they are loaded several times as fast as by default.
"""

import os
import sys

base_url, endpoint, folder, *more = sys.argv[1:]
limit, file_format = (more + [None, None])[:2]
# Of all settings, only those that are none of the data.
os.environ |= {"RUNTIME__DLTHUB_TELEMETRY": "false", "RUNTIME__LOG_LEVEL": "ERROR"}

# The settings are read when it is imported.
import dlt  # noqa: E402
from dlt.sources.rest_api import rest_api_source  # noqa: E402

pages = {"paginator": "single_page"}
if limit:
    pages = {
        "data_selector": "items",
        "paginator": {"type": "offset", "limit": int(limit), "total_path": None},
    }
resource = {"name": endpoint, "endpoint": {"path": endpoint} | pages}
pipeline = dlt.pipeline(
    "bench",
    pipelines_dir=os.path.join(folder, "pipelines"),
    destination=dlt.destinations.duckdb(os.path.join(folder, "rows.duckdb")),
    dataset_name="bench",
)
source = rest_api_source({"client": {"base_url": base_url}, "resources": [resource]})
pipeline.run(source, loader_file_format=file_format).raise_on_failed_jobs()
