"""dlt: python dlt_items.py BASE_URL LIMIT FOLDER

The rest_api source into the filesystem destination, set so that the items come out as they went in, which is also
faster: uncompressed JSON lines, lists that stay in their items instead of becoming tables, and no search for times in
texts, since dlt writes those in another way.
"""

import os
import sys

base_url, limit, folder = sys.argv[1:]
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
source.schema.remove_type_detection("iso_timestamp")
pipeline = dlt.pipeline(
    "bench",
    pipelines_dir=os.path.join(folder, "pipelines"),
    destination=dlt.destinations.filesystem(os.path.join(folder, "out")),
    dataset_name="bench",
)
pipeline.run(source, loader_file_format="jsonl").raise_on_failed_jobs()
