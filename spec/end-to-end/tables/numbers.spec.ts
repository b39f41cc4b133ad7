/** Numbers arrive with the digits that came (docs/sinks.md, "Numbers"). */
import fc from 'fast-check';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, extract, parseJson, sinks, stringifyJson } from '../../../src';
import type { Destination, Json, JsonObject } from '../../../src';
import { runsOf } from '../../support/cases';
import { queryDuckDB } from '../../support/duckdb';
import { NEEDS, describeWithPostgres, testDatabase } from '../../support/postgres';

describe('numbers', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-numbers-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const config = (job: object = {}, more: object = {}): Json =>
    parseJson(
      JSON.stringify({
        api: { baseUrl: 'https://api.test/' },
        config: { jobs: [{ endpoint: 'items', dataType: 'items', ...job }], ...more },
      }),
    );
  const answering = (...bodies: readonly string[]): typeof globalThis.fetch => {
    let at = 0;
    return () => Promise.resolve(new Response(bodies[Math.min(at++, bodies.length - 1)]));
  };
  async function linesOf(body: string, job: object = {}): Promise<readonly string[]> {
    const lines: string[] = [];
    for await (const page of extract(config(job), { fetch: answering(body) }).pages())
      lines.push(...Buffer.from(page.lines()).toString().split('\n').slice(0, -1));
    return lines;
  }
  const deliverTo = (destination: Destination, body: string, job: object = {}, more: object = {}) =>
    deliver(config(job, more), [destination], { fetch: answering(body) });
  const csvCells = async (name = 'items.csv'): Promise<readonly (readonly string[])[]> => {
    const text = await readFile(join(folder, 'csv', name), 'utf8');
    return text.split('\n').slice(1, -1).map((line) => line.slice(1, -1).split('","')); // prettier-ignore
  };

  interface WrittenNumber {
    readonly written: string;
    readonly csv: string;
    readonly duckdb: string;
    readonly postgres: string;
  }
  const numberOf = ([written = '', csv = '', duckdb = '', postgres = '']: readonly string[]): WrittenNumber => ({
    written,
    csv,
    duckdb,
    postgres,
  });
  const FRACTION = '0.1000000000000000055511151231257827';
  /** What the API writes, and what it is alone in a column of CSV, of DuckDB and Parquet, of PostgreSQL. */
  const NUMBERS = [
    ['1.10', '1.1', 'DOUBLE 1.1', 'double precision 1.1'],
    ['1E5', '100000', 'INTEGER 100000', 'integer 100000'],
    ['1e300', '1.0E+300', 'DOUBLE 1e300', 'double precision 1e+300'],
    [
      '12345678901234567.250',
      '12345678901234567.25',
      'DECIMAL(19,2) 12345678901234567.25',
      'numeric 12345678901234567.250',
    ],
    [
      '1234567890123456789012345678901234567890',
      '1234567890123456789012345678901234567890',
      'VARCHAR 1234567890123456789012345678901234567890',
      'numeric 1234567890123456789012345678901234567890',
    ],
    ['1E400', '1.0E+400', 'VARCHAR 1E400', 'numeric 1E400, without exponent'],
    ['1.0', '1', 'INTEGER 1', 'integer 1'],
    ['9007199254740993', '9007199254740993', 'BIGINT 9007199254740993', 'bigint 9007199254740993'],
    [
      '0.30000000000000004',
      '0.30000000000000004',
      'DOUBLE 0.30000000000000004',
      'double precision 0.30000000000000004',
    ],
    ['1234567890.12345678', '1234567890.12345678', 'DECIMAL(18,8) 1234567890.12345678', 'numeric 1234567890.12345678'],
    [FRACTION, FRACTION, `DECIMAL(34,34) ${FRACTION}`, `numeric ${FRACTION}`],
  ].map(numberOf);
  const asColumns = (numbers: readonly { readonly written: string }[]): string =>
    `[{${numbers.map(({ written }, at) => `"n${at}":${written}`).join(',')}}]`;

  describe('numbers of each kind', () => {
    it('are in lines as they came, however the items are found', async () => {
      const item = NUMBERS.map(({ written }, at) => `"n${at}":${written}`).join(',');
      const came = `{${item},"meta":{"a":1.50}}`;
      const filtered = `{${item},"meta":"{\\"a\\":1.50}"}`;
      expect(await linesOf(`[${came}]`)).toEqual([came]);
      expect(await linesOf(`[${came}]`, { responseFilter: 'meta' })).toEqual([filtered]);
      expect(await linesOf(`${came}\n${came}`, { format: 'jsonl' })).toEqual([came, came]);
      expect(await linesOf(`{"a":{"b":[${came}]},"c":[1]}`, { dataField: 'a.b' })).toEqual([came]);
      expect(await linesOf(`{"a":[{"b":[${came}]}]}`, { dataField: 'a.0.b' })).toEqual([came]);
      expect(await linesOf(`{"a":${came}}`, { dataField: 'a' })).toEqual([came]);
      expect(await linesOf(`{"a":[${came}],"deep":${'['.repeat(300)}${']'.repeat(300)}}`, { dataField: 'a' })).toEqual([
        came,
      ]);
    });

    it('are in lines as they came where they are items themselves', async () => {
      const all = NUMBERS.map(({ written }) => written);
      expect(await linesOf(`[${all.join()}]`)).toEqual(all);
      expect(await linesOf(all.join('\n'), { format: 'jsonl' })).toEqual(all);
      expect(await linesOf(`[${all.join()}]`, { responseFilter: 'meta' })).toEqual(all);
      expect(await linesOf('{"a":12345678901234567.250}', { dataField: 'a' })).toEqual(['12345678901234567.250']);
    });

    it('are in CSV with all of their digits: by columns, by lists, by mappings', async () => {
      const all = NUMBERS.map(({ csv }) => csv);
      await deliverTo(sinks.csv(join(folder, 'csv')), asColumns(NUMBERS));
      expect(await csvCells()).toEqual([all]);
      const list = NUMBERS.map(({ written }) => written).join();
      await deliverTo(sinks.csv(join(folder, 'csv')), `[{"id":1,"list":[${list}]}]`);
      expect((await csvCells('items_list.csv')).map(([cell]) => cell)).toEqual(all);
      const mappings = { items: { v: { type: 'column', mapping: { destination: 'v' } } } };
      const items = NUMBERS.map(({ written }) => `{"v":${written}}`).join();
      await deliverTo(sinks.csv(join(folder, 'csv')), `[${items}]`, {}, { mappings });
      expect((await csvCells()).map(([cell]) => cell)).toEqual(all);
    });

    it('are in DuckDB and Parquet in these types', async () => {
      const described = NUMBERS.map(({ duckdb }) => duckdb);
      const file = join(folder, 'numbers.duckdb');
      await deliverTo(sinks.duckdb(file), asColumns(NUMBERS));
      await deliverTo(sinks.parquet(join(folder, 'parquet')), asColumns(NUMBERS));
      for (const [where, from] of [
        [file, 'items'],
        [':memory:', `'${join(folder, 'parquet', 'items.parquet')}'`],
      ] as const) {
        const types = (await queryDuckDB(where, `DESCRIBE FROM ${from}`)).map(([, type]) => String(type));
        const [row = []] = await queryDuckDB(where, `FROM ${from}`);
        expect(row.map((value, at) => `${types[at]} ${spelled(value)}`)).toEqual(described);
      }
    });

    it('keep their values in JSON of DuckDB', async () => {
      const all = NUMBERS.map(({ written }) => written);
      const file = join(folder, 'numbers.duckdb');
      await deliverTo(
        sinks.duckdb(file, { nested: 'json' }),
        `[{"j":{"list":[${all.join()}]}},{"j":12345678901234567.25}]`,
      );
      const rows = await queryDuckDB(file, 'SELECT j::varchar FROM items');
      expect(rows).toEqual([[`{"list":[${all.join()}]}`], ['12345678901234567.25']]);
    });
  });

  describe('decimals below one', () => {
    const SMALL = ['0.1000000000000000055511151231257827', '-0.0722474069625286292', '0.5'];
    const rowsOf = (values: readonly string[]): string => `[${values.map((value) => `{"v":${value}}`).join()}]`;

    it.each([
      ['text', '"x"', 'x'],
      ['JSON', '{"a":1}', '{"a":1}'],
    ])('keep their values in DuckDB and Parquet where their column becomes %s', async (_, later, cell) => {
      const file = join(folder, 'small.duckdb');
      for (const rows of [SMALL, [later]])
        for (const destination of [sinks.duckdb(file, { nested: 'json' }), sinks.parquet(folder, { nested: 'json' })])
          await deliverTo(destination, rowsOf(rows), {}, { incrementalOutput: true });
      for (const [where, from] of [
        [file, 'items'],
        [':memory:', `'${join(folder, 'items.parquet')}'`],
      ] as const)
        expect(await queryDuckDB(where, `SELECT v::varchar FROM ${from}`)).toEqual(
          [...SMALL, cell].map((each) => [each]),
        );
    });
  });

  /** What the table says of a number that PostgreSQL writes without its exponent. */
  const OUT = ', without exponent';
  const spelled = (value: unknown): string => String(value).replace('e+', 'e');

  describeWithPostgres(`numbers of each kind ${NEEDS}`, () => {
    it('are in PostgreSQL in these types, and in JSON with their values', async () => {
      const database = await testDatabase();
      try {
        const list = NUMBERS.map(({ written }) => written).join();
        await deliverTo(
          sinks.postgres(database.url, { nested: 'json' }),
          `${asColumns(NUMBERS).slice(0, -2)},"j":{"list":[${list}]}}]`,
        );
        const types = await database.query(
          `SELECT format_type(atttypid, atttypmod) AS type FROM pg_attribute WHERE attrelid = 'items'::regclass AND attnum > 0 ORDER BY attnum`,
        );
        const columns = NUMBERS.map((_, at) => `n${at}::text`).join();
        const [row = {}] = await database.query(`SELECT ${columns} FROM items`);
        const text = (value: unknown, wanted = ''): string =>
          wanted.endsWith(OUT) && valueOf(String(value)) === valueOf(wanted.replace(/^numeric (.*), .*$/, '$1'))
            ? wanted.slice('numeric '.length)
            : String(value);
        expect(
          Object.values(row).map((value, at) => `${String(types[at]?.['type'])} ${text(value, NUMBERS[at]?.postgres)}`),
        ).toEqual(NUMBERS.map(({ postgres }) => postgres));
        const inside = await database.query(`SELECT value::text AS v FROM items, jsonb_array_elements(j -> 'list')`);
        inside.forEach(({ v }, at) => expect(valueOf(String(v))).toBe(valueOf(NUMBERS[at]?.written ?? '')));
        expect(inside).toHaveLength(NUMBERS.length);
      } finally {
        await database.drop();
      }
    });
  });

  describe('in JavaScript', () => {
    it('items have the nearest numbers, and know the digits that came', async () => {
      const body =
        '[{"a":12345678901234567.25,"b":1e400,"c":9007199254740993,"d":[0.1000000000000000055511151231257827]}]';
      for await (const page of extract(config(), { fetch: answering(body) }).pages()) {
        expect(page.items).toEqual([{ a: 12345678901234568, b: Infinity, c: 9007199254740993n, d: [0.1] }]);
        expect(page.items.map(stringifyJson).join()).toBe(body.slice(1, -1));
      }
    });
  });

  describe('what is asked for next has all digits', () => {
    const ask = async (job: object, ...bodies: readonly string[]): Promise<readonly string[]> => {
      const asked: string[] = [];
      const answer = answering(...bodies);
      const fetch: typeof globalThis.fetch = (url, init) => {
        asked.push(String(url instanceof Request ? url.url : url));
        return answer(url, init);
      };
      const pages = [];
      for await (const page of extract(config(job), { fetch }).pages()) pages.push(page.checkpoint);
      return asked;
    };

    it('a position', async () => {
      const paging = { pagination: { method: 'response.param', responseParam: 'next', queryParam: 'after' } };
      const body = '{"items":[{"id":1}],"next":1700000000.123456789}';
      const asked: string[] = [];
      const bodies = [body, '{"items":[]}'];
      const fetch: typeof globalThis.fetch = (url) => {
        asked.push(new URL(String(url instanceof Request ? url.url : url)).search);
        return Promise.resolve(new Response(bodies.shift()));
      };
      const whole = parseJson(
        JSON.stringify({ api: { baseUrl: 'https://api.test/', ...paging }, config: { jobs: [{ endpoint: 'items' }] } }),
      );
      for await (const page of extract(whole, { fetch }).pages()) expect(page.count).toBeLessThan(2);
      expect(asked).toEqual(['', '?after=1700000000.123456789']);
    });

    it('a placeholder', async () => {
      const children = [{ endpoint: 'items/{id}', dataType: 'child', placeholders: { id: 'id' } }];
      const asked = await ask({ children }, '[{"id":1234567890.12345678}]', '[]');
      expect(asked).toEqual(['https://api.test/items', 'https://api.test/items/1234567890.12345678']);
    });

    it('how far a job has come: of numbers that JavaScript cannot tell apart, the larger one', async () => {
      const incremental = { field: 'at', param: 'since' };
      const body = '[{"at":1700000000.123456781},{"at":1700000000.123456789},{"at":1700000000.123456785}]';
      for await (const page of extract(config({ incremental }), { fetch: answering(body) }).pages())
        expect(page.cursor?.value).toBe('1700000000.123456789');
    });

    it('two pages whose numbers differ only in digits that JavaScript loses are two pages', async () => {
      const paged = parseJson(
        JSON.stringify({
          api: { baseUrl: 'https://api.test/', pagination: { method: 'offset', limit: 1 } },
          config: { jobs: [{ endpoint: 'items', dataField: 'a' }] },
        }),
      );
      const bodies = ['{"a":[1234567890.12345678]}', '{"a":[1234567890.12345679]}', '{"a":[]}'];
      const lines: string[] = [];
      const fetch: typeof globalThis.fetch = () => Promise.resolve(new Response(bodies.shift()));
      for await (const page of extract(paged, { fetch }).pages()) lines.push(Buffer.from(page.lines()).toString());
      expect(lines.join('')).toBe('1234567890.12345678\n1234567890.12345679\n');
    });
  });

  /** The exact value, as thousandths of a very small number: nothing of the sources is used to tell. */
  function valueOf(literal: string): bigint {
    const [, sign, integer = '', fraction = '', exponent = '0'] =
      /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
    const size = BigInt(integer + fraction) * 10n ** BigInt(1500 + Number(exponent) - fraction.length);
    return sign === '-' ? -size : size;
  }

  const digits = (most: number): fc.Arbitrary<string> => fc.string({ unit: fc.constantFrom('0', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'), minLength: 1, maxLength: most }); // prettier-ignore
  const spelledNumber = fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.oneof(fc.constant('0'), digits(3), digits(19), digits(40)),
      fc.option(fc.oneof(digits(2), digits(25)), { nil: undefined }),
      fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.oneof(digits(1), digits(3))), {
        nil: undefined,
        freq: 2,
      }),
    )
    .map(
      ([sign, integer, fraction, exponent]) =>
        `${sign}${integer.replace(/^0+(?=\d)/, '')}${fraction === undefined ? '' : `.${fraction}`}${exponent?.join('') ?? ''}`,
    );
  const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value));
  const numbers = fc.array(fc.oneof(spelledNumber, spelledNumber, double), { minLength: 30, maxLength: 60 });
  /** How the items come: found in the bytes, read again, written again. */
  const ways = fc.constantFrom({}, { responseFilter: 'nothing' }, { format: 'jsonl' });
  const bodyOf = (items: readonly string[], job: object): string =>
    'format' in job ? items.join('\n') : `[${items.join()}]`;

  describe('any numbers, in any spelling, beside any others', () => {
    it('are in lines as they came, in CSV as the same values', async () => {
      await fc.assert(
        fc.asyncProperty(numbers, ways, async (all, job) => {
          const items = all.map((number) => `{"v":${number},"list":[[${number}]]}`);
          expect(await linesOf(bodyOf(items, job), job)).toEqual(items);
          await deliverTo(sinks.csv(join(folder, 'csv')), bodyOf(items, job), job);
          const cells = await csvCells();
          expect(cells.map(([cell]) => valueOf(cell ?? ''))).toEqual(all.map(valueOf));
        }),
        { numRuns: runsOf(10, 5) },
      );
    });

    it('are in a table of DuckDB as the same values', async () => {
      let run = 0;
      await fc.assert(
        fc.asyncProperty(numbers, ways, async (all, job) => {
          const file = join(folder, `${(run += 1)}.duckdb`);
          const item = `{${all.map((number, at) => `"n${at}":${number}`).join(',')},"j":[${all.join()}]}`;
          const more = `{${all.map((number, at) => `"n${at}":${all[(at + 1) % all.length] ?? number}`).join(',')}}`;
          const single = run % 2 === 0 ? [item] : [item, more];
          await deliverTo(sinks.duckdb(file, { nested: 'json' }), bodyOf(single, job), job);
          const [row = []] = await queryDuckDB(file, 'FROM items');
          const inside = String(row[all.length]).slice(1, -1).split(',');
          all.forEach((number, at) => {
            expect(comesBack(row[at], number)).toBe(true);
            expect(comesBack(inside[at], number) || comesBack(Number(inside[at]), number)).toBe(true);
          });
        }),
        { numRuns: runsOf(10, 5) },
      );
    });

    it('are in a table of DuckDB as the same values where later runs add others', async () => {
      let run = 0;
      const cells = async (file: string): Promise<readonly (readonly unknown[])[]> =>
        (await queryDuckDB(file, 'FROM items')).map((row) => [...row]);
      await fc.assert(
        fc.asyncProperty(numbers, ways, async (all, job) => {
          const file = join(folder, `${(run += 1)}.duckdb`);
          const turned = all.map((_, at) => all.at(at - 1) ?? '0');
          for (const row of [all, turned])
            await deliverTo(
              sinks.duckdb(file),
              bodyOf([`{${row.map((number, at) => `"n${at}":${number}`).join(',')}}`], job),
              job,
              { incrementalOutput: true },
            );
          const [first = [], second = []] = await cells(file);
          all.forEach((number, at) => {
            expect([number, comesBack(first[at], number) || wasDouble(first[at], number)]).toEqual([number, true]);
            expect([turned[at], comesBack(second[at], turned[at] ?? '')]).toEqual([turned[at], true]);
          });
        }),
        { numRuns: runsOf(6, 3) },
      );
    });
  });

  describeWithPostgres(`any numbers, in any spelling ${NEEDS}`, () => {
    it('are in a table of PostgreSQL as the same values where later runs add others', async () => {
      const database = await testDatabase();
      let run = 0;
      try {
        await fc.assert(
          fc.asyncProperty(numbers, ways, async (all, job) => {
            const dataType = `n${(run += 1)}`;
            const turned = all.map((_, at) => all.at(at - 1) ?? '0');
            for (const row of [all, turned])
              await deliverTo(
                sinks.postgres(database.url),
                bodyOf([`{${row.map((number, at) => `"n${at}":${number}`).join(',')}}`], job),
                { ...job, dataType },
                { incrementalOutput: true },
              );
            const columns = all.map((_, at) => `n${at}::text`).join();
            const rows = (await database.query(`SELECT ${columns} FROM ${dataType}`)).map((row) => Object.values(row));
            const types = all.map((_, at) => `pg_typeof(n${at})::text AS n${at}`).join();
            const [typesOfRow = {}] = await database.query(`SELECT ${types} FROM ${dataType} LIMIT 1`);
            const isDouble = Object.values(typesOfRow).map((type) => type === 'double precision');
            expect(rows).toHaveLength(2);
            for (const [at, row] of [all, turned].entries())
              row.forEach((number, cell) => {
                const text = String(rows[at]?.[cell]);
                const asDouble = (at === 0 || isDouble[cell] === true) && wasDouble(text, number);
                expect([number, asDouble || valueOf(text) === valueOf(number)]).toEqual([number, true]);
              });
          }),
          { numRuns: runsOf(6, 3) },
        );
      } finally {
        await database.drop();
      }
    });
  });

  /** Whether a cell says all digits of a number: a double says up to 17. */
  function comesBack(cell: unknown, number: string): boolean {
    const texts = typeof cell === 'number' ? [String(cell), cell.toPrecision(17)] : [String(cell)];
    return texts.some((text) => valueOf(text) === valueOf(number));
  }

  /**
   * This tells whether a cell has the up to 17 digits that a database prints of a double, and that double said all digits of the number.
   * PostgreSQL prints others than JavaScript where the number lies in the middle between two doubles.
   */
  function wasDouble(cell: unknown, number: string): boolean {
    const text = String(cell);
    const significant = text.replace(/e.*$/, '').replace(/\D/g, '').replace(/^0+|0+$/g, ''); // prettier-ignore
    return significant.length <= 17 && comesBack(Number(text), number);
  }
});

/** Numbers, and texts that look like numbers, cell by cell (docs/sinks.md, "Numbers"): in items, objects, lists and mappings. */

describe('numbers in tables', () => {
  /** A value as the API writes it, and as it is in a table, in CSV and in lines. */
  const DIGITS = '1234567890123456789012345678901234567890';
  const VALUES = [
    { api: '1234567890.12345678', table: '1234567890.12345678', csv: '1234567890.12345678' },
    { api: '12345678901234567.25', table: '12345678901234567.25', csv: '12345678901234567.25' },
    { api: DIGITS, table: DIGITS, csv: DIGITS },
    { api: '9007199254740993.0', table: '9007199254740993', csv: '9007199254740993' },
    { api: '9007199254740993e0', table: '9007199254740993', csv: '9007199254740993' },
    { api: '"007"', table: '007', csv: '007' },
    { api: '"1e5"', table: '1e5', csv: '1e5' },
    { api: '"1234567890.12345678"', table: '1234567890.12345678', csv: '1234567890.12345678' },
  ] as const;

  const members = VALUES.map(({ api }, at) => `"n${at}":${api}`).join(',');
  const body = `[{"id":1,"big":1e300,${members},"o":{${members}},"l":[{${members}}]}]`;
  const names = VALUES.map((_, at) => `n${at}`);
  const columns = Object.fromEntries(names.map((name) => [name, name]));
  const mappings = {
    items: {
      big: 'big',
      ...columns,
      ...Object.fromEntries(names.map((name) => [`o.${name}`, `o_${name}`])),
      l: { type: 'table', destination: 'items_l', parentKey: { disable: true }, tableMapping: columns },
    },
  };

  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-numbers-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const load = (to: Destination, config: JsonObject): Promise<unknown> =>
    deliver({ api: { baseUrl: 'https://api.test/' }, config: { jobs: [{ endpoint: 'items' }], ...config } }, [to], {
      fetch: () => Promise.resolve(new Response(body)),
    });

  const CONFIGS = [
    ['automatic', {}],
    ['mapped', { mappings }],
  ] as const;
  const inItems = [...names, ...names.map((name) => `o_${name}`)];
  const expected = VALUES.map(({ table }) => table);

  describe.each(CONFIGS)('values in %s tables', (kind, config) => {
    it.each(['duckdb', 'parquet'])('%s', async (name) => {
      const isFile = name === 'parquet';
      const file = isFile ? ':memory:' : join(folder, 'n.duckdb');
      await load(isFile ? sinks.parquet(folder) : sinks.duckdb(file), config);
      const from = (table: string): string => (isFile ? `'${join(folder, `${table}.parquet`)}'` : table);
      const texts = (of: readonly string[]): string => of.map((column) => `CAST(${column} AS VARCHAR)`).join(', ');
      expect(await queryDuckDB(file, `SELECT ${texts(inItems)} FROM ${from('items')}`)).toEqual([
        [...expected, ...expected],
      ]);
      expect(await queryDuckDB(file, `SELECT ${texts(names)} FROM ${from('items_l')}`)).toEqual([expected]);
      expect(await queryDuckDB(file, `SELECT big FROM ${from('items')}`)).toEqual([[1e300]]);
    });

    it('csv', async () => {
      await load(sinks.csv(folder), config);
      const lines = async (table: string): Promise<readonly string[]> =>
        (await readFile(join(folder, `${table}.csv`), 'utf8')).split('\n');
      const cells = VALUES.map(({ csv }) => `"${csv}"`).join();
      expect((await lines('items'))[1]).toContain(`"1.0E+300",${cells},${cells}`);
      expect((await lines('items_l'))[1]).toContain(cells);
    });

    it('ndjson', async () => {
      await load(sinks.ndjson(folder), config);
      const [item] = (await readFile(join(folder, 'items.ndjson'), 'utf8')).split('\n');
      expect(item).toContain(`"big":1e300,${members}`);
      const list = kind === 'mapped' ? await readFile(join(folder, 'items_l.ndjson'), 'utf8') : item;
      expect(list).toContain(`{${members}}`);
    });
  });

  describeWithPostgres(`values in PostgreSQL ${NEEDS}`, () => {
    it.each(CONFIGS)('%s', async (_, config) => {
      const database = await testDatabase();
      try {
        await load(sinks.postgres(database.url), config);
        const texts = (of: readonly string[]): string => of.map((column) => `${column}::text`).join(', ');
        const [row = {}] = await database.query(`SELECT ${texts(inItems)}, big::text AS big FROM items`);
        expect(Object.values(row)).toEqual([...expected, ...expected, '1e+300']);
        const [element = {}] = await database.query(`SELECT ${texts(names)} FROM items_l`);
        expect(Object.values(element)).toEqual(expected);
      } finally {
        await database.drop();
      }
    });
  });
});
