/** Asks the database file of a run, by a process for each query. */
import { quoted } from '../core/json/sql-name';
import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Answered, Asked } from './query-process';
import { RefusedRequest } from './replies';
import type { Rows, TableFacts } from './wire';

/** See {@link databaseOf}. Each call ends when its signal aborts. */
export interface Database {
  readonly tables: (signal: AbortSignal) => Promise<readonly TableFacts[]>;
  /** Returns a summary of the values of each column. */
  readonly profile: (schema: string, table: string, signal: AbortSignal) => Promise<Rows>;
  readonly query: (sql: string, signal: AbortSignal) => Promise<Rows>;
  /** Returns the runs that were committed to it, the last one first. */
  readonly runs: (signal: AbortSignal) => Promise<Rows>;
}

/** The limits of a query. */
export interface QueryLimits {
  /** The file of `query-process.ts`. */
  readonly program: string;
  readonly milliseconds: number;
  /** The memory of its process. */
  readonly bytes: number;
}

/** The limits of queries of the page; DuckDB itself takes 1 GB, and writes what does not fit into files. */
export const LIMITS = { milliseconds: 15_000, bytes: 1.5e9 };

const NOTHING: Rows = { columns: [], rows: [], isCut: false };

/**
 * Returns the database in a file, which is open only during queries; without the file, there are no tables. Queries run one after another,
 * so that several pages take no more memory than one.
 *
 * @example await databaseOf('items.duckdb', { program, ...LIMITS }).query('SELECT count(*) FROM items', signal)
 */
export function databaseOf(file: string, limits: QueryLimits): Database {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (sql: string, signal: AbortSignal): Promise<Rows> => {
    const next = last.then(async () => ((await isThere(file)) ? ask({ file, sql }, limits, signal) : NOTHING));
    last = next.catch(() => undefined);
    return next;
  };
  return {
    tables: async (signal) => {
      const { rows } = await inTurn(TABLES, signal);
      return rows.map(([schema, name, count, columns]) => ({
        schema: String(schema),
        name: String(name),
        rows: Number(count),
        columns: JSON.parse(String(columns)) as readonly string[],
      }));
    },
    profile: (schema, table, signal) => {
      const all = `(SUMMARIZE ${quoted(schema)}.${quoted(table)})`;
      // The estimate may be larger than the table.
      return inTurn(`SELECT * REPLACE (least(approx_unique, "count") AS approx_unique) FROM ${all}`, signal);
    },
    query: inTurn,
    runs: async (signal) => {
      const { rows } = await inTurn(
        "SELECT count(*) FROM duckdb_tables() WHERE schema_name = '_headwater' AND table_name = 'runs'",
        signal,
      );
      return Number(rows[0]?.[0] ?? 0) === 0 ? NOTHING : inTurn(RUNS, signal);
    },
  };
}

const TABLES =
  'SELECT schema_name, table_name, any_value(estimated_size), to_json(list(column_name ORDER BY column_index)) ' +
  'FROM duckdb_tables() AS t JOIN duckdb_columns() USING (schema_name, table_name) ' +
  "WHERE NOT t.internal AND schema_name <> '_headwater' GROUP BY ALL ORDER BY 1, 2";
const RUNS = 'SELECT * FROM "_headwater"."runs" ORDER BY started_at DESC LIMIT 200';

/** Runs a query in a process, which has ended when this settles: then nothing of it holds the file or memory. */
function ask(asked: Pick<Asked, 'file' | 'sql'>, limits: QueryLimits, signal: AbortSignal): Promise<Rows> {
  const { program, milliseconds, bytes } = limits;
  if (signal.aborted) return Promise.reject(stopped(NOT_WANTED));
  return new Promise((resolve, reject) => {
    const child = fork(program, { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    let answered: Answered | undefined;
    // Nobody but the process itself ends it, if this one does not: at the limit of memory.
    let why = `it needed more than ${bytes / 1e9} GB of memory. ${ASK_FOR_LESS}`;
    const stop = (because: string) => (): void => {
      why = because;
      child.kill();
    };
    const late = setTimeout(stop(`it took more than ${milliseconds / 1000} seconds. ${ASK_FOR_LESS}`), milliseconds);
    const leave = stop(NOT_WANTED);
    signal.addEventListener('abort', leave);
    child.once('message', (message) => {
      answered = message as Answered;
      child.kill();
    });
    child.once('error', reject);
    // Beside the database there is room for data.
    const spill = `${asked.file}.query-${String(child.pid)}`;
    child.once('close', (status) => {
      clearTimeout(late);
      signal.removeEventListener('abort', leave);
      rmSync(spill, { recursive: true, force: true });
      if (answered === undefined)
        reject(stopped(status === null ? why : `its process ended with the status ${status}.`));
      else if ('rows' in answered) resolve(answered.rows);
      else reject(new RefusedRequest(422, 'QUERY_FAILED', answered.refused));
    });
    child.send({ ...asked, bytes, spill } satisfies Asked);
  });
}

const ASK_FOR_LESS = 'Ask for less, for example with LIMIT.';
const NOT_WANTED = 'nobody waits for it any more.';

const stopped = (why: string): RefusedRequest =>
  new RefusedRequest(422, 'QUERY_STOPPED', `The query was stopped: ${why}`);

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );
