/**
 * A store of tables of your own: MySQL and MariaDB, by the package mysql2. It says how the SQL of this database differs from that of others,
 * how rows get in, and how a run is shown in one step; Headwater does the rest, as for its own destinations.
 *
 *     headwater run stations.json --components mysql-store.cjs --to mysql://me:secret@localhost/rivers
 *
 * MySQL ends a transaction at each change of a table's columns. So a commit makes its tables again beside those that are there, and one RENAME
 * TABLE shows all of them, with the receipt. Rows that are added cost a copy of the table in the server. Views and rights stay;
 * triggers, and foreign keys of other tables, do not move with the name. While a run commits, nobody else may write to its tables.
 */
const { createHash } = require('node:crypto');
const { FatalError } = require('headwater');
const { defineSink, optional, sqlStore, storeSink, text } = require('headwater/components');
const mysql = require('mysql2/promise');

/** The types of columns, as the server spells them. */
const TYPES = {
  boolean: 'tinyint(1)',
  integer: 'int',
  bigint: 'bigint',
  double: 'double',
  date: 'date',
  timestamp: 'datetime(6)',
  timestamptz: 'datetime(6)',
  // JSON of MySQL would round numbers.
  json: 'longtext',
  text: 'longtext',
};
/** The types of columns of which nothing is noted. */
const WIDEST = new Map(
  Object.entries({ ...TYPES, json: 'text' }).map(([type, sql]) => [sql, type === 'json' ? 'text' : type]),
);
const OWN = { receipt: '_headwater', runs: '_headwater_runs' };
const ROWS_AT_ONCE = 200;
/** MySQL has at most 30 decimals. */
const typeIn = (type) => (/^decimal\(\d+,(?:[12]?\d|30)\)$/.test(type) ? type : (TYPES[type] ?? 'longtext'));

const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

/** A time in UTC, with all digits of its seconds. */
function inUtc(time) {
  const [, fraction = ''] = /(\.\d+)/.exec(time) ?? [];
  return new Date(time.replace(fraction, '').replace(' ', 'T')).toISOString().slice(0, 19) + fraction;
}

/** Returns the SQL of a value as a string, as JSON writes it. */
function asText(value, type) {
  const trimmed = (digits) => `TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM ${digits}))`;
  if (type === 'boolean') return `ELT(${value} + 1, 'false', 'true')`;
  if (type.startsWith('decimal') && !type.endsWith(',0)')) return trimmed(`CAST(${value} AS CHAR)`);
  if (!type.startsWith('timestamp')) return `CAST(${value} AS CHAR)`;
  const time = trimmed(`DATE_FORMAT(${value}, '%Y-%m-%dT%H:%i:%s.%f')`);
  return type === 'timestamptz' ? `CONCAT(${time}, 'Z')` : time;
}

function converted(value, from, to) {
  const isText = ['text', 'date', 'timestamp', 'timestamptz'].includes(from);
  if (from === to) return value;
  if (to === 'json') return isText ? `JSON_QUOTE(${asText(value, from)})` : asText(value, from);
  return to === 'text' ? asText(value, from) : value;
}

function parsed(value, type) {
  if (type === 'boolean') return `(${value} = 'true')`;
  if (type === 'integer' || type === 'bigint') return `CAST(${value} AS SIGNED)`;
  if (type === 'double') return `(${value} + 0e0)`;
  if (type === 'timestamptz') return `CAST(TRIM(TRAILING 'Z' FROM ${value}) AS DATETIME(6))`;
  if (type === 'timestamp') return `CAST(${value} AS DATETIME(6))`;
  return type === 'date' || type.startsWith('decimal') ? `CAST(${value} AS ${type})` : value;
}

async function connect(url) {
  const options = { uri: url, rowsAsArray: true, dateStrings: true, supportBigNumbers: true, bigNumberStrings: true };
  const connection = await mysql.createConnection(options).catch((cause) => {
    throw new FatalError('DESTINATION_ADDRESS', `${nameOf(url)} cannot be reached: ${cause.message}`, { cause });
  });
  const run = async (sql, cells) => (await connection.query(sql, cells))[0];
  // Names are quoted as in standard SQL; keys are equal if their bytes are.
  await run("SET SESSION sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,STRICT_ALL_TABLES', time_zone = '+00:00'");
  const bytes =
    "SELECT collation_name FROM information_schema.collations WHERE collation_name IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin')";
  const [[collation]] = await run(bytes);
  await run(`SET NAMES utf8mb4 COLLATE ${collation}`);

  /** The tables of the commit that goes on, by the names that they will have, and all that it makes besides. */
  const drafts = new Map();
  const temporary = new Set();
  const actual = (name) => drafts.get(name) ?? name;
  const describe = async (name) => {
    const columns =
      'SELECT column_name, column_type FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ? ORDER BY ordinal_position';
    const found = await run(columns, [name]);
    return found.map(([column, type]) => ({ name: column, type: type.replace(/^((?:big)?int)\(\d+\)$/, '$1') }));
  };
  const exists = async (name) => (await describe(name)).length > 0;
  const drop = async (names) => {
    for (const name of names) await run(`DROP TABLE IF EXISTS ${quoted(name)}`);
  };

  return {
    run,
    rows: run,
    table: (name) => quoted(actual(name)),
    own: (table) => quoted(actual(OWN[table])),
    describe: (table) => describe(actual(typeof table === 'string' ? table : OWN[table.own])),
    temporary: (name) => {
      temporary.add(name);
      return quoted(name);
    },
    create: (table, columns) =>
      `CREATE TABLE ${table} (${columns.join(', ')}) CHARACTER SET utf8mb4 COLLATE ${collation}`,
    renamed: (from, name) => `RENAME TABLE ${from} TO ${quoted(actual(name))}`,
    type: typeIn,
    typeNamed: (type, noted) => {
      if (noted !== undefined && typeIn(noted) === type) return noted;
      return type.startsWith('decimal') ? type : WIDEST.get(type);
    },
    notesTypes: true,
    keepsTables: true,
    same: (one, other) => `${one} <=> ${other}`,
    converted,
    parsed,
    numbered: 'BIGINT AUTO_INCREMENT PRIMARY KEY',
    index: (table, keys) => {
      const parts = keys.map(({ name, type }) => `${quoted(name)}${typeIn(type) === 'longtext' ? '(64)' : ''}`);
      return `CREATE INDEX "_headwater_keys" ON ${table} (${parts.join(', ')})`;
    },
    insert: async (into, columns, pages) => {
      const names = columns.map(({ name }) => quoted(name)).join(', ');
      const times = columns.flatMap(({ type }, at) => (type === 'timestamptz' ? [at] : []));
      for await (const rows of pages)
        for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
          const some = rows.slice(from, from + ROWS_AT_ONCE).map((cells) => [...cells]);
          for (const cells of some) for (const at of times) if (cells[at] !== null) cells[at] = inUtc(cells[at]);
          await run(`INSERT INTO ${into} (${names}) VALUES ?`, [some]);
        }
    },
    transaction: async (writes, work) => {
      const [[isMine]] = await run("SELECT GET_LOCK(CONCAT('headwater.', DATABASE()), 10)");
      if (Number(isMine) !== 1)
        throw new FatalError(
          'DESTINATION_LOCKED',
          `Another run commits to ${nameOf(url)}. Let it end, then run again.`,
        );
      const names = [...new Set([...writes.map(({ table }) => table), ...Object.values(OWN)])];
      const [made, gone] = ['new', 'old'].map((which) => names.map((_, at) => `_headwater_${which}_${at}`));
      try {
        await drop([...made, ...gone]);
        for (const [at, name] of names.entries())
          if (await exists(name)) {
            await run(`CREATE TABLE ${quoted(made[at])} LIKE ${quoted(name)}`);
            await run(`INSERT INTO ${quoted(made[at])} SELECT * FROM ${quoted(name)}`);
          }
        names.forEach((name, at) => drafts.set(name, made[at]));
        const result = await work();
        const moves = [];
        for (const [at, name] of names.entries()) {
          if (!(await exists(made[at]))) continue;
          if (await exists(name)) moves.push(`${quoted(name)} TO ${quoted(gone[at])}`);
          moves.push(`${quoted(made[at])} TO ${quoted(name)}`);
        }
        await run(`RENAME TABLE ${moves.join(', ')}`);
        return result;
      } finally {
        drafts.clear();
        // What a killed process leaves goes with the next commit.
        await drop([...made, ...gone, ...temporary]).catch(() => undefined);
      }
    },
    close: () => connection.end(),
  };
}

/** The name of the destination, without credentials. */
function nameOf(url) {
  const { host, pathname } = new URL(url);
  return `mysql://${host}${pathname}`;
}

module.exports = defineSink({
  kind: 'sink',
  name: 'mysql',
  summary: 'Tables of a MySQL or MariaDB database: one a dataType, and one for the lists at each place in its items.',
  use: 'Choose it where a MySQL server is there already.',
  schemes: ['mysql'],
  address: ['mysql://USER@HOST/BASE'],
  example: 'mysql://me@localhost/rivers',
  makes: 'tables',
  options: { folder: optional(text, { about: 'Where pages wait until the commit.', example: '/var/lib/headwater' }) },
  create: ({ url }, { outputs, warn }, { folder = '.headwater' }) => {
    const name = nameOf(url);
    const place = `mysql-${createHash('sha256').update(name).digest('hex').slice(0, 12)}`;
    return storeSink({
      ...{ name, outputs, warn, folder: `${folder}/${place}` },
      open: async () => sqlStore(await connect(url)),
      isReserved: (table) => table.startsWith('_headwater') || Buffer.byteLength(table) > 64,
    });
  },
});
