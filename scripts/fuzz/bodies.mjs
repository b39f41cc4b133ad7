/* global Response */
/** Mutated bodies through the engine: each run gives items, a stop, or an error with a code. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ConfigurationError, deliver, extract, HeadwaterError, sinks, stringifyJson } from '../../dist/index.js';
import { mutated, mutatedBytes, oddValue } from './mutate.mjs';

/** A run that takes longer hangs. */
const LIMIT_MS = 5_000;
const PAGES = 4;

const item = (id) => ({
  id,
  name: 'Mur & Mürz',
  level: 1.1,
  big: 9007199254740993n,
  tags: ['a', 'b', [1]],
  crew: [{ n: 'Ann', at: '2024-02-29' }, { n: 'Bo' }],
  meta: { a: { b: null }, 10: true },
});
const items = (page) => [1, 2].map((at) => item(page * 2 + at));
const inEnvelope = (page) => ({
  data: items(page),
  next: `/items?page=${page + 1}`,
  token: page + 0.25,
  total: 9,
  more: page < 2,
  access_token: 'secret-token',
  expires_in: 3600,
});

const CSV = 'id,name,level\n1,"Mur, ""the""",1.10\n2,Enns,\n';
const XML = (page) =>
  `<?xml version="1.0"?><feed a="1"><next>/items?page=${page + 1}</next><data><id>1</id><n>Mur &amp; Mürz</n></data><data><id>2</id><![CDATA[<x>]]></data></feed>`;
const HTML =
  '<!DOCTYPE html><html><head><title>Sign in</title></head><body><form action="/login">…</form></body></html>';

/** How a body may look: by format, what it begins as. */
const BODIES = {
  json: (page, random) => stringifyJson(valueOf(page, random)),
  jsonl: (page, random) => [...items(page), valueOf(page, random)].map(stringifyJson).join('\n'),
  csv: () => CSV,
  xml: (page) => XML(page),
  html: () => HTML,
  binary: (_, random) => Buffer.from(Array.from({ length: random.below(200) }, () => random.below(256))),
  empty: (_, random) => random.pick(['', ' ', '[]', '{}', 'null', '""', '0', '\ufeff']),
};
const TYPES = [
  'application/json',
  'text/html',
  'text/csv',
  'application/xml',
  'application/x-ndjson',
  'text/plain',
  'x',
  '',
];

function valueOf(page, random) {
  const value = random.chance(0.3) ? items(page) : inEnvelope(page);
  if (random.chance(0.05)) return oddValue(random);
  return random.chance(0.6) ? mutated(value, random) : value;
}

function bodyOf(kind, page, random) {
  const body = Buffer.from(BODIES[kind](page, random));
  const packed = random.chance(0.08) ? gzipSync(body) : body;
  return random.chance(kind === 'json' ? 0.2 : 0.4) ? mutatedBytes(packed, random) : packed;
}

const PAGINATIONS = [
  undefined,
  { method: 'offset', limit: 2 },
  { method: 'offset', limit: 2, parallel: 3 },
  { method: 'pagenum', limit: 2 },
  { method: 'response.url', urlKey: 'next' },
  { method: 'response.url', urlKey: 'next', includeParams: true, paramIsQuery: true },
  { method: 'response.param', responseParam: 'token', queryParam: 'after' },
  { method: 'response.param', responseParam: 'token', queryParam: 'after', scrollRequest: { endpoint: 'scroll' } },
  { method: 'response.link' },
  { method: 'cursor', idKey: 'id', param: 'since' },
  { method: 'cursor', idKey: 'level', param: 'since', reverse: true },
  { method: 'zendesk.response.url' },
];
const FORMATS = [
  undefined,
  undefined,
  undefined,
  'json',
  'jsonl',
  'csv',
  'xml',
  'text',
  { type: 'csv', header: false },
];
const STOPS = [{}, {}, { forceStop: { pages: 2, volume: 5000 } }, { limitStop: { field: 'total' } }, { nextPageFlag: { field: 'more', stopOn: false } }]; // prettier-ignore
const LOGIN = {
  type: 'login',
  loginRequest: { endpoint: 'login' },
  expires: { response: 'expires_in', relative: true },
  apiRequest: { headers: { Authorization: { response: 'access_token' } } },
};
const MAPPINGS = {
  items: {
    id: { mapping: { destination: 'id', primaryKey: true } },
    name: 'name',
    level: { type: 'column', mapping: { destination: 'level' }, forceType: true },
    crew: {
      type: 'table',
      destination: 'crew',
      tableMapping: { n: 'n', at: { type: 'date', mapping: { destination: 'at' } } },
    },
  },
};

function configurationFor(random) {
  const pagination = random.pick(PAGINATIONS);
  const format = random.pick(FORMATS);
  const dataField = random.pick([undefined, 'data', 'data', 'data.0.crew', '.', 'meta']);
  const responseFilter = random.pick([undefined, undefined, 'meta', ['tags', 'crew[].n', 'level']]);
  const children = random.chance(0.2)
    ? [{ endpoint: 'items/{id}', dataType: 'child', placeholders: { id: random.pick(['id', 'meta.a', 'tags']) }, ...(random.chance(0.3) ? { recursionFilter: 'id>1|name~~M%' } : {}) }] // prettier-ignore
    : undefined;
  const incremental = random.chance(0.1)
    ? { field: random.pick(['id', 'level', 'name']), param: 'from', lag: 1 }
    : undefined;
  const job = { endpoint: 'items', dataType: 'items', format, dataField, responseFilter, children, incremental };
  const withoutNothing = (object) =>
    Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
  return {
    api: withoutNothing({
      baseUrl: 'https://api.test/',
      pagination: pagination === undefined ? undefined : { ...pagination, ...random.pick(STOPS) },
      authentication: random.chance(0.1) ? LOGIN : undefined,
      retryConfig: { maxRetries: 0 },
    }),
    config: withoutNothing({
      jobs: [withoutNothing(job)],
      requestLimit: 6,
      mappings: random.chance(0.1) ? MAPPINGS : undefined,
      incrementalOutput: incremental === undefined ? undefined : true,
      http: undefined,
      ignoreErrors: undefined,
    }),
  };
}

/** A server that gives so many pages of one kind, and then nothing. */
function serverFor(random, format) {
  const expected = format?.type ?? format ?? 'json';
  const kind = expected in BODIES && random.chance(0.8) ? expected : random.pick(Object.keys(BODIES));
  const type = random.pick(TYPES);
  const status = random.chance(0.95) ? 200 : random.pick([204, 400, 404, 500]);
  let page = 0;
  return () => {
    page += 1;
    const body = page > PAGES ? '[]' : bodyOf(kind, page, random);
    const headers = { 'content-type': type };
    if (random.chance(0.2))
      headers.link = random.pick(['</items?page=2>; rel="next"', '<>; rel=next', '<//x/>;rel="next"', '<;;,']);
    return Promise.resolve(new Response(status === 204 ? null : body, { status, headers }));
  };
}

async function run(config, options, random) {
  if (random.chance(0.03)) {
    const folder = mkdtempSync(join(tmpdir(), 'headwater-fuzz-'));
    try {
      const layout = { suffix: '', bucketPrefix: 'if-several', manifests: true };
      await deliver(config, [sinks.csv(folder, { layout, keepsNothing: true, spoolFolder: folder })], options);
      return 'tables';
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  let count = 0;
  for await (const page of extract(config, options).pages()) {
    count += page.count;
    const lines = Buffer.from(page.lines()).toString();
    const { length } = lines.split('\n');
    if (length - 1 !== page.count) throw new Error(`a page of ${page.count} items has ${length - 1} lines`);
    if (page.items.length !== page.count) throw new Error(`a page of ${page.count} items has ${page.items.length}`);
    stringifyJson({ ...page.checkpoint });
  }
  return count === 0 ? 'no items' : 'items';
}

/** @returns what became of it; throws what must not be thrown */
export async function tryBody(random) {
  const config = configurationFor(random);
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    return await run(config, { fetch: serverFor(random, config.config.jobs[0].format), signal }, random);
  } catch (error) {
    if (signal.aborted) throw new Error(`it was not over after ${LIMIT_MS} ms`, { cause: error });
    if (!(error instanceof HeadwaterError)) throw error;
    // The configurations are right.
    if (error instanceof ConfigurationError) throw error;
    return error.code;
  }
}
