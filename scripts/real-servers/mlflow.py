"""Fills the store of MLflow, past the server: that one spends half a second of computing on each password."""

import sys

from mlflow.entities import Metric, Param
from mlflow.tracking import MlflowClient

client = MlflowClient(sys.argv[1])
# With the default experiment they are 120; every other one has no runs.
experiments = ["0"] + [client.create_experiment(f"river {i} “é”") for i in range(119)]
for i in range(420):
    at = 1_700_000_000_000 + i % 100
    run = client.create_run(experiments[i % 60 * 2], start_time=at, run_name=f"run {i}")
    metrics = [Metric(f"depth{step}", i / 7, at, step) for step in range(2)]
    client.log_batch(run.info.run_id, metrics, [Param("gate", "open")])
for i in range(100):
    client.create_registered_model(f"model {i}")
    for _ in range(i % 4):
        client.create_model_version(f"model {i}", "s3://rivers/model")
