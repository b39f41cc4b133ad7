/** The manual entries of the built-in sinks, one line each; `registry.ts` has their code. */
export { outline as csv } from './csv/outline';
export { outline as duckdb } from './duckdb/outline';
export { outline as nats } from './nats/outline';
export { outline as ndjson } from './ndjson/outline';
export { outline as parquet } from './parquet/outline';
export { outline as postgres } from './postgres/outline';
export { outline as sqlite } from './sqlite/outline';
