/** The built-in sinks, one line each. */
export { csv } from './csv';
export { duckdb } from './duckdb';
export { nats } from './nats';
export { ndjson } from './ndjson';
export { parquet } from './parquet';
export { postgres } from './postgres';
export { sqlite } from './sqlite';
