"""Stations as an asset: Dagster shows the log of each run, and a retry goes on with the run that failed."""
import subprocess

import dagster as dg


@dg.asset(retry_policy=dg.RetryPolicy(max_retries=3, delay=300))
def stations(context: dg.AssetExecutionContext) -> None:
    command = ["headwater", "run", "/srv/stations/stations.json", "--to", "postgres://loader@postgres/stations"]
    command += ["--run-id", context.run_id, "--log-format", "json"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as run:
        for line in run.stderr or ():
            context.log.info(line.rstrip())
    if run.returncode != 0:
        raise dg.Failure(f"headwater ended with the status {run.returncode}")


hourly = dg.ScheduleDefinition(target=dg.AssetSelection.assets(stations), cron_schedule="5 * * * *", name="hourly")
defs = dg.Definitions(assets=[stations], schedules=[hourly])
