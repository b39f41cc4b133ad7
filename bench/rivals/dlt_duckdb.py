"""dlt: python dlt_duckdb.py BASE_URL LIMIT FOLDER FORMAT

The rest_api source into one table of a DuckDB database. FORMAT is how dlt hands the rows over: `parquet` or
`insert_values`. Lists stay in their items instead of becoming tables, which is also faster.
"""

import os
import sys

base_url, limit, folder, file_format = sys.argv[1:]
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
pipeline = dlt.pipeline(
    "bench",
    pipelines_dir=os.path.join(folder, "pipelines"),
    destination=dlt.destinations.duckdb(os.path.join(folder, "rows.duckdb")),
    dataset_name="bench",
)
pipeline.run(source, loader_file_format=file_format).raise_on_failed_jobs()
