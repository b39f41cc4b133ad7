/** What real configurations contain that a tidy reader would not expect. None of it may break a run. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lastValueFrom, toArray } from 'rxjs';
import { ConfigurationError, deliver, extract, sinks, validate } from '../../../src';
import type { Fault, Item, Json, JsonObject } from '../../../src';
import { asksForDebug } from '../../../src/cli/configurations';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { needsBuild } from '../../support/build';
import { ALL_CASES } from '../../support/cases';
import { exampleAt } from '../examples';

type Part = JsonObject;

describe('oddities of real configurations', () => {
  let server: ApiServer;
  let elsewhere: ApiServer;
  beforeEach(async () => {
    server = await startServer(() => json([{ id: 1 }]));
    elsewhere = await startServer(() => json({ key: 'K' }));
  });
  afterEach(() => Promise.all([server.close(), elsewhere.close()]));

  const configuration = (job: Part, { api = {}, config = {}, root = {} }: Record<string, Part> = {}): Part => ({
    parameters: {
      api: { baseUrl: server.origin, ...api },
      config: { jobs: [{ endpoint: 'items', ...job }], ...config },
    },
    ...root,
  });
  const itemsOf = (input: Part): Promise<Item[]> =>
    lastValueFrom(extract(input, { lenient: true }).items$.pipe(toArray()));
  /** What a run asks for, decoded. */
  const askedBy = async (input: Part): Promise<string[]> => {
    expect(await itemsOf(input)).not.toEqual([]);
    return server.requests.map(({ method, url, body }) => `${method} ${decodeURIComponent(url)} ${body}`.trimEnd());
  };
  const warningsOf = (input: Part): string[] =>
    validate(input, { lenient: true }).warnings.map(({ path, message }) => `${path}: ${message}`);

  it('language 0.2: [] where an object is meant is the empty object', async () => {
    const input = configuration(
      { params: [], headers: [], placeholders: [], children: [], userData: [] },
      { api: { http: [], pagination: [], authentication: [], retryConfig: [] }, config: { mappings: [], http: [] } },
    );
    expect(await askedBy(input)).toEqual(['GET /items']);
    expect(warningsOf(input)).toEqual([]);
  });

  it('language 1.3: an empty list of jobs is never more than a stated fault at its place', () => {
    const input = configuration({}, { config: { jobs: [] } });
    let places: readonly string[];
    try {
      places = validate(input, { lenient: true }).warnings.map(({ path }) => path);
    } catch (error) {
      places = error instanceof ConfigurationError ? error.faults.map(({ path }) => path) : [String(error)];
    }
    expect(places).toEqual(['config.jobs']);
  });

  it('language 3.2: null among params is left out', async () => {
    expect(await askedBy(configuration({ params: { group: null, id: 3 } }))).toEqual(['GET /items?id=3']);
  });

  it('language 3.2: "" for a date is an empty value', async () => {
    const params = { start_time: '', end_time: { attr: 'until' } };
    expect(await askedBy(configuration({ params }, { config: { until: '' } }))).toEqual([
      'GET /items?start_time=&end_time=',
    ]);
  });

  it('language 0.2: "limit": "100" is the number 100', async () => {
    const api = { pagination: { method: 'offset', limit: '100' } };
    expect(await askedBy(configuration({}, { api }))).toEqual(['GET /items?limit=100&offset=0']);
  });

  it.each([
    [0, false],
    [1, true],
    ['1', true],
    ['0', false],
    ['', false],
    [null, false],
  ])('language 0.2: debug %j means %j', async (debug, meant) => {
    const input = configuration({}, { config: { debug } });
    expect(asksForDebug(input)).toBe(meant);
    expect(await askedBy(input)).toEqual(['GET /items']);
  });

  it('language 3.1: "method": "post" is POST', async () => {
    expect(await askedBy(configuration({ method: 'post', params: { a: 1 } }))).toEqual(['POST /items {"a":1}']);
  });

  describe('settings without effect where they stand: a warning names the place and what is likely meant', () => {
    it('iterations inside config', () => {
      const input = configuration({}, { config: { iterations: [{ region: 'north' }] } });
      expect(warningsOf(input)).toEqual([
        'config.iterations: has no effect here, but as a user attribute; it belongs to the root, beside api and config',
      ]);
    });

    it('api.http.Headers', () => {
      const input = configuration({}, { api: { http: { Headers: { Accept: 'application/json' } } } });
      expect(warningsOf(input)).toEqual(['api.http.Headers: has no effect: unknown key; did you mean "headers"?']);
    });

    it('the dotted key "pagination.method"', () => {
      const input = configuration({}, { api: { 'pagination.method': 'offset' } });
      expect(warningsOf(input)).toEqual([
        'api["pagination.method"]: has no effect: a key is one name, not a path; did you mean "method" inside "pagination"?',
      ]);
    });

    it('a scroller with a method other than multiple', () => {
      const input = configuration({ scroller: 'pages' }, { api: { pagination: { method: 'pagenum' } } });
      expect(warningsOf(input)).toEqual([
        'config.jobs[0].scroller: has no effect: api.pagination.method is not multiple',
      ]);
    });

    it('a placeholder that is in no endpoint', () => {
      const child = { endpoint: 'items/{item-id}', placeholders: { 'item-id': 'id', itemid: 'id' } };
      const other = { endpoint: 'items/{itemId}', placeholders: { 'item-id': 'id' } };
      const place = String.raw`^config\.jobs\[0\]\.children`;
      expect(warningsOf(configuration({ children: [child, other] }))).toEqual([
        expect.stringMatching(new RegExp(String.raw`${place}\[0\]\.placeholders\.itemid: is in no endpoint`)),
        expect.stringMatching(
          new RegExp(String.raw`${place}\[1\]\.endpoint: nothing fills \{itemId\}.*; did you mean "item-id"\?`),
        ),
        expect.stringMatching(
          new RegExp(String.raw`${place}\[1\]\.placeholders\.item-id: is in no endpoint.*; did you mean "itemId"\?$`),
        ),
      ]);
    });

    it('none of them stops a run', async () => {
      const api = { http: { Headers: { Accept: 'a' } }, 'pagination.method': 'offset' };
      const config = { iterations: [{ region: 'north' }] };
      const input = configuration({ scroller: 'pages', placeholders: { 'item-id': 'id' } }, { api, config });
      expect(await askedBy(input)).toEqual(['GET /items']);
    });
  });

  it.each([
    ['a query', 'items?kind=old&part=1', 'GET /items?kind=old&part=1'],
    ['[0] in its query', 'items?ids[0]=a&ids[1]=b', 'GET /items?ids[0]=a&ids[1]=b'],
    ['colons in its query', 'items?at=urn:x:item:1', 'GET /items?at=urn:x:item:1'],
    ['a raw space in its query', 'items?fields=id,name, size', 'GET /items?fields=id,name, size'],
    ['a colon in its path', 'reports:run', 'GET /reports:run'],
    ['a leading slash', '/items', 'GET /items'],
  ])('language 2.2: an endpoint with %s', async (_, endpoint, asked) => {
    expect(await askedBy(configuration({ endpoint }))).toEqual([asked]);
  });

  it('language 2.2: a base URL with no slash at the end keeps its last segment', async () => {
    const api = { baseUrl: `${server.origin}/api/v2` };
    expect(await askedBy(configuration({}, { api }))).toEqual(['GET /api/v2/items']);
  });

  it('language 3.2: names such as page[size] and dateRange.start.day are sent as they are', async () => {
    const params = { 'page[size]': 100, 'dateRange.start.day': 1, 'sizes.list[0]': 'XL' };
    expect(await askedBy(configuration({ params }))).toEqual([
      'GET /items?page[size]=100&dateRange.start.day=1&sizes.list[0]=XL',
    ]);
  });

  it('language 4.5.1: a login on another host, by its absolute URL', async () => {
    const authentication = {
      type: 'login',
      loginRequest: { endpoint: `${elsewhere.origin}/enter`, method: 'FORM', params: { user: 'u' } },
      apiRequest: { headers: { 'X-Key': 'key' } },
    };
    expect(await askedBy(configuration({}, { api: { authentication } }))).toEqual(['GET /items']);
    expect(elsewhere.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/enter', 'user=u'],
    ]);
    expect(server.requests[0]?.headers['x-key']).toBe('K');
  });

  it('language 1.2: keys of editors and tools are ignored', async () => {
    const mapping = { id: { propertyOrder: 1, mapping: { destination: 'id', propertyOrder: 2 } } };
    const input = configuration(
      { __NAME: 'root', propertyOrder: 3 },
      { config: { mappings: { items: mapping } }, root: { processors: { after: [{ definition: {} }] } } },
    );
    expect(await askedBy(input)).toEqual(['GET /items']);
    expect(warningsOf(input)).toEqual([
      'config.jobs[0].__NAME: has no effect: unknown key',
      'config.jobs[0].propertyOrder: has no effect: unknown key',
      'processors: has no effect: unknown key',
    ]);
  });

  it('language 7.3: a missing attribute is named, without a list of all mappings', () => {
    const input = configuration(
      { params: { since: { attr: 'since' } } },
      { config: { token: 't', mappings: { items: { id: 'id', name: 'name' } } } },
    );
    expect(() => validate(input)).toThrow(
      /config\.jobs\[0\]\.params\.since: .*attr 'since' not found! Known: 'token'\.$/,
    );
  });

  it('language 8.10: the entry of a child table beside the mappings is one fault, that says where it belongs', () => {
    const refunds = { type: 'table', destination: 'refunds', parentKey: { destination: 'id' }, amount: 'amount' };
    const input = configuration({}, { config: { mappings: { items: { id: 'id' }, refunds } } });
    expect(() => validate(input)).toThrow(
      'The configuration cannot be used.\n  config.mappings.refunds: expected columns, found an entry of type "table": ' +
        'it belongs inside the mapping of the items that hold its list',
    );
  });
});

/** Configurations that others wrote and published, checked with the built command (docs/real-configurations.md). */

const ROOT = join(__dirname, '../../..');
const FOLDER = join(ROOT, '../shared/real-configs');
const MEBIBYTE = 2 ** 20;

interface Check {
  readonly faults: readonly { readonly path: string; readonly message: string; readonly code?: string }[];
  readonly crash?: string;
}
interface Result {
  readonly file: string;
  readonly asWritten: Check;
  readonly completed: Check;
  readonly strict: Check;
  readonly run?: { readonly outcome: string; readonly message?: string };
}

/** Broken by their authors: the table of the document says how. */
const BROKEN = [
  ...['005', '014', '015', '028', '069', '078', '100', '101', '102', '105'],
  ...['106', '107', '120', '123', '144', '145', '146', '205', '207'],
];

/** Refused by `run` and `validate` without --lenient, for keys that mean nothing and look like others. */
const MISSPELLED = [
  ...['038', '049', '059', '070', '071', '096', '103', '104', '119'],
  ...['162', '169', '177', '179', '182', '183', '211', '215'],
];

const isThere = existsSync(FOLDER);
const reason = !isThere
  ? ' (skipped: ../shared/real-configs is not there, it is no part of the project)'
  : ALL_CASES
    ? ''
    : ' (takes long; in npm run test:all)';

(isThere && ALL_CASES ? describe : describe.skip)(`221 real configurations${reason}`, () => {
  let results: readonly Result[];
  beforeAll(async () => {
    needsBuild();
    const script = join(ROOT, 'scripts/real-configurations.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [script, FOLDER, '--json'], {
      maxBuffer: 64 * MEBIBYTE,
    });
    results = JSON.parse(stdout) as readonly Result[];
  }, 600_000);

  it('language 9: none makes the decoder or the planner throw anything but a stated refusal', () => {
    expect(results).toHaveLength(221);
    expect(results.filter(({ asWritten, completed }) => asWritten.crash ?? completed.crash)).toEqual([]);
  });

  it('language 9: every refusal names its place', () => {
    const faults = results.flatMap(({ asWritten, completed }) => [...asWritten.faults, ...completed.faults]);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.filter(({ path, message }) => path === '' || message === '')).toEqual([]);
  });

  it('language 1 to 8: with what their users supply, all but the broken ones are accepted', () => {
    const refused = results.filter(({ completed }) => completed.faults.length > 0).map(({ file }) => file.slice(0, 3));
    expect(refused.filter((number) => !BROKEN.includes(number))).toEqual([]);
    expect(refused).toEqual(BROKEN);
  });

  it('docs/language/configuration.md#misspelled-keys: a strict reading refuses 17 more, for mistakes alone', () => {
    const refused = results.filter(
      ({ completed, strict }) => completed.faults.length === 0 && strict.faults.length > 0,
    );
    expect(refused.map(({ file }) => file.slice(0, 3))).toEqual(MISSPELLED);
    const codes = refused.flatMap(({ strict }) => strict.faults.map(({ code }) => code));
    expect(new Set(codes)).toEqual(new Set(['MISTAKEN_KEY']));
  });

  it('language 9: each accepted one is complete, or ends with a stated reason', () => {
    const runs = results.flatMap(({ file, run }) => (run === undefined ? [] : [{ file, ...run }]));
    expect(runs).toHaveLength(results.length - BROKEN.length);
    expect(runs.filter(({ outcome }) => outcome === 'crash')).toEqual([]);
    const ends = (code: string) => runs.filter(({ outcome }) => outcome === code);
    expect([ends('complete'), ends('INCOMPLETE'), runs].map(({ length }) => length)).toEqual([187, 14, 202]);
    // What the test API names behind the last page, and they have no pagination for it.
    for (const { message } of ends('INCOMPLETE')) expect(message).toMatch(/Only the first page of .* was read/);
  });
});

/** docs/language/configuration.md#misspelled-keys over whole runs. */

const PAGE = readFileSync(join(__dirname, '../../../docs/language/configuration.md'), 'utf8');
const example = (origin = 'http://127.0.0.1:9'): Json => {
  const { api, config } = exampleAt(origin, 'misspelled-keys.json');
  return JSON.parse(JSON.stringify({ api, config })) as Json;
};

function refusalOf(work: () => unknown): ConfigurationError {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

const placesOf = (faults: readonly Fault[]): readonly string[] => faults.map(({ path }) => path);
const REFUSED = ['api.pagniation', 'config.jobs[0].datafield', 'config.jobs[0].limit'];

describe('keys that look like others', () => {
  let server: ApiServer | undefined;
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-'));
  });
  afterEach(async () => {
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('are refused by extract and validate, in the words that the page shows, with a code', () => {
    for (const work of [() => extract(example()), () => validate(example())]) {
      const { faults, message } = refusalOf(work);
      expect(placesOf(faults)).toEqual(REFUSED);
      expect(faults.map(({ code }) => code)).toEqual(REFUSED.map(() => 'MISTAKEN_KEY'));
      expect(PAGE).toContain(message);
    }
  });

  it('are refused by deliver before it opens a sink', async () => {
    const delivery = deliver(example(), [sinks.ndjson(join(folder, 'out'))]);
    await expect(delivery).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('are warnings of a lenient run, which goes on', async () => {
    server = await startServer({ '/v1/stations': json([{ id: 1 }]) });
    const config = example(server.origin);
    const extraction = extract(config, { lenient: true });
    expect(placesOf(extraction.warnings)).toEqual([...REFUSED, 'config.jobs[0].__note']);
    expect(extraction.warnings.filter(({ code }) => code !== undefined)).toEqual([]);
    expect(await lastValueFrom(extraction.items$.pipe(toArray()))).toEqual([{ id: 1 }]);
    const { stored } = await deliver(config, [sinks.ndjson(join(folder, 'out'))], { lenient: true });
    expect(stored).toHaveLength(1);
  });
});

/** docs/language/configuration.md#config over whole runs. */

describe('an empty list of jobs', () => {
  const config = exampleAt('http://127.0.0.1:9', 'no-jobs.json');
  const warning = { path: 'config.jobs', message: 'is empty: there is nothing to do' };

  it('examples/extensions/no-jobs.json is valid, with a warning', () => {
    expect(validate(config)).toMatchObject({ jobs: 0, warnings: [warning] });
  });

  it('the run succeeds without a request, not even a login', async () => {
    const authentication = { type: 'login', loginRequest: { endpoint: 'login' } };
    const run = extract({ ...config, api: { ...config.api, authentication } });
    const events = await lastValueFrom(run.events$.pipe(toArray()));
    expect(events.map(({ type }) => type)).toEqual(['run.started', 'warning', 'run.finished']);
    expect(events.at(-1)).toMatchObject({ type: 'run.finished', pages: 0, items: 0, outcome: 'complete', jobs: [] });
  });
});
