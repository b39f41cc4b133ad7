"""Runs a command and writes to descriptor 3 what it used: python3 usage.py COMMAND…

Node cannot ask for the usage of a child, and a child cannot tell its own to the end.
"""

import json
import os
import resource
import subprocess
import sys
import time

begin = time.monotonic()
status = subprocess.run(sys.argv[1:]).returncode
end = time.monotonic()
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
report = {
    "status": status,
    "begin": begin * 1000,
    "end": end * 1000,
    "cpu": usage.ru_utime + usage.ru_stime,
    # KiB, but bytes on macOS.
    "memory": usage.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024),
}
os.write(3, json.dumps(report).encode())
