"""Airbyte's declarative CDK, read as a library: python airbyte_items.py BASE_URL LIMIT FOLDER

The concurrent declarative source reads manifest.yaml, as Airbyte's own command does, but only the data of the records
are written: the protocol's message around each of them is left out, in favour of the CDK.
"""

import logging
import sys
from pathlib import Path

import orjson
import yaml
from airbyte_cdk.models import Type
from airbyte_cdk.sources.declarative.concurrent_declarative_source import ConcurrentDeclarativeSource

base_url, limit, folder = sys.argv[1:]
here = Path(__file__).parent
manifest = yaml.safe_load((here / "manifest.yaml").read_text())
catalog = ConcurrentDeclarativeSource.read_catalog(str(here / "catalog.json"))
config = {"base_url": base_url, "limit": int(limit)}
logger = logging.getLogger("airbyte")
logger.setLevel(logging.ERROR)

source = ConcurrentDeclarativeSource(catalog=catalog, config=config, state=[], source_config=manifest)
with open(Path(folder) / "items.ndjson", "wb") as file:
    for message in source.read(logger, config, catalog, []):
        if message.type == Type.RECORD:
            file.write(orjson.dumps(message.record.data, option=orjson.OPT_APPEND_NEWLINE))
