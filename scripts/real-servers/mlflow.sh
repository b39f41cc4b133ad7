# shellcheck shell=bash
MLFLOW=3.17.2

install_mlflow() { pip_install mlflow mlflow==$MLFLOW Flask-WTF==1.2.2; }
start_mlflow() {
  rm -f "$folder/mlflow/"*.db
  (cd "$folder/mlflow" && venv/bin/python - sqlite:///mlflow.db < "$scripts/real-servers/mlflow.py") > "$folder/mlflow/fill.log" 2>&1 ||
    fail "MLflow: see $folder/mlflow/fill.log"
  launch mlflow /health env MLFLOW_FLASK_SERVER_SECRET_KEY=headwater MLFLOW_AUTH_ADMIN_PASSWORD=$secret \
    MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false MLFLOW_DISABLE_TELEMETRY=true \
    venv/bin/mlflow server --app-name basic-auth -h 127.0.0.1 -p "$(port_of mlflow)" -w 1 --backend-store-uri sqlite:///mlflow.db
}
