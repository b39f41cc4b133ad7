/** A database of PostgreSQL for each cell, and what is in it. */
import pg from 'pg';
import { ordered } from './rows.mjs';

const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

const withClient = async (url, work) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Gives `{ url, addresses, drop }` of a new, empty database. */
export const createDatabase = async (server, name) => {
  const database = `fence_${process.pid}_${name.replace(/\W/g, '_')}`.slice(0, 60);
  const statement = (text) => withClient(server, (client) => client.query(text));
  await statement(`DROP DATABASE IF EXISTS ${quoted(database)} WITH (FORCE)`);
  await statement(`CREATE DATABASE ${quoted(database)} TEMPLATE template0`);
  const url = new URL(server);
  url.pathname = `/${database}`;
  return {
    url: url.href,
    // The command shows it without the user.
    addresses: [url.href, `postgres://${url.host}${url.pathname}`],
    drop: () => statement(`DROP DATABASE IF EXISTS ${quoted(database)} WITH (FORCE)`),
  };
};

export const postgresRows = (url) =>
  withClient(url, async (client) => {
    const rowsOf = async (statement, values = []) => (await client.query(statement, values)).rows;
    const known = await rowsOf(
      "SELECT table_schema AS s, table_name AS t FROM information_schema.tables WHERE table_schema IN ('public', '_headwater') ORDER BY 1, 2",
    );
    const tables = {};
    for (const { t } of known.filter(({ s }) => s === 'public')) {
      const columns = await rowsOf(
        'SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position',
        ['public', t],
      );
      const rows = await rowsOf(`SELECT row_to_json(r)::text AS row FROM public.${quoted(t)} r`);
      tables[t] = {
        columns: columns.map(({ name, type }) => `${name} ${type}`),
        rows: ordered(rows.map(({ row }) => row)),
      };
    }
    const hasRuns = known.some(({ s, t }) => s === '_headwater' && t === 'runs');
    const receipts = hasRuns ? await rowsOf('SELECT * FROM _headwater.runs ORDER BY committed_at') : [];
    return { tables, receipts };
  });
