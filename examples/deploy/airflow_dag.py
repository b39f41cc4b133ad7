"""Stations, every hour: each data interval is loaded once, however often its task is tried. For Airflow 3."""
from datetime import datetime, timedelta

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

with DAG(
    dag_id="stations",
    start_date=datetime(2024, 1, 1),
    schedule="@hourly",
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 3, "retry_delay": timedelta(minutes=5)},
) as dag:
    BashOperator(
        task_id="load",
        # The secrets stand in the environment of the worker; no template and no log has them.
        bash_command=(
            "headwater run /srv/stations/stations.json --to postgres://loader@postgres/stations"
            " --run-id '{{ run_id }}' --log-format json"
        ),
        append_env=True,
    )
