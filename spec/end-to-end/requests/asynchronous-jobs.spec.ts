/** Reports that an API makes while one waits, in whole runs over real connections (docs/language/asynchronous-jobs.md). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom, lastValueFrom, take, toArray } from 'rxjs';
import { deliver, extract, sinks, validate } from '../../../src';
import type { Page, RunEvent } from '../../../src';
import { createProgressTracker } from '../../../src/run/state/progress';
import { startServer } from '../../support/api-server';
import type { Handler, ReceivedRequest } from '../../support/api-server';
import { runToEnd, startCommand } from '../../support/command';
import { queryDuckDB } from '../../support/duckdb';
import { json } from '../../support/answers';
import type { Answer } from '../../support/answers';

const IDS = [[1], [2], [3]];
const ROWS = [1, 2, 3].map((id) => ({ id }));
const respond =
  (status: number, body: unknown = '', headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, headers);
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

interface ReportsOptions {
  /** The polls that a report takes, by its number from 1; more say that it is done. */
  readonly polls?: number;
  readonly during?: Answer;
  readonly done?: (id: string) => Answer;
  readonly file?: (id: string, request: ReceivedRequest) => Answer;
  /** The ids that the API does not know any more. */
  readonly gone?: ReadonlySet<string>;
}

/** An API of reports: POST /reports, GET /reports/ID, GET /files/ID. */
async function reports({
  polls = 5,
  during = json({ status: 'running' }),
  done = () => json({ status: 'done' }),
  file = () => json(ROWS),
  gone = new Set(),
}: ReportsOptions = {}) {
  const asked = new Map<string, number>();
  let made = 0;
  const handler: Handler = (request) => {
    const [, kind = '', id = ''] = request.url.split(/[/?]/);
    if (request.method === 'POST') return respond(202, { id: `r${(made += 1)}` });
    if (gone.has(id)) return respond(404, { error: 'no such report' });
    if (kind === 'files') return file(id, request);
    asked.set(id, (asked.get(id) ?? 0) + 1);
    return (asked.get(id) ?? 0) < polls ? during : done(id);
  };
  return startServer(handler);
}

const SUBMIT = { endpoint: 'reports', values: { id: 'id' } };
const POLL = {
  endpoint: 'reports/{submit.id}',
  every: 0.01,
  timeout: 5,
  until: { field: 'status', is: 'done' },
  failed: { field: 'status', is: 'failed' },
};
interface Changes {
  readonly api?: object;
  readonly job?: object;
  readonly submit?: object;
  readonly poll?: object;
  readonly more?: object;
}
const configurationOf = (origin: string, { api, job, submit, poll, more }: Changes = {}) => ({
  api: { baseUrl: `${origin}/`, ...api },
  config: {
    jobs: [
      {
        id: 'report',
        endpoint: 'files/{submit.id}',
        asynchronous: { submit: { ...SUBMIT, ...submit }, poll: { ...POLL, ...poll }, ...more },
        ...job,
      },
    ],
  },
});

function start(origin: string, changes: Changes = {}, resume?: readonly Page[]) {
  const events: RunEvent[] = [];
  const book = createProgressTracker();
  for (const { checkpoint } of resume ?? []) book.add(checkpoint);
  const { pages$ } = extract(configurationOf(origin, changes), {
    onEvent: (event) => events.push(event),
    ...(resume === undefined ? {} : { resume: { startedAt: 1, progress: book.progress() } }),
  });
  return { pages$, events };
}

async function run(origin: string, changes: Changes = {}, resume?: readonly Page[]) {
  const { pages$, events } = start(origin, changes, resume);
  const pages = await lastValueFrom(pages$.pipe(toArray()));
  return { pages, events, items: pages.flatMap(({ items }) => items) };
}

const lines = (requests: readonly ReceivedRequest[]): readonly string[] =>
  requests.map(({ method, url }) => `${method} ${url}`);

describe('an asynchronous job', () => {
  it('submits, polls until the result is there, and gives its pages', async () => {
    const { origin, requests } = await reports();
    const { items, pages, events } = await run(origin, {
      submit: { params: { kind: 'orders' }, headers: { 'X-Kind': 'report' } },
    });
    expect(items).toEqual(ROWS);
    expect(lines(requests)).toEqual(['POST /reports', ...Array<string>(5).fill('GET /reports/r1'), 'GET /files/r1']);
    expect(requests[0]).toMatchObject({ body: '{"kind":"orders"}', headers: { 'x-kind': 'report' } });
    expect(pages.map(({ index, count }) => [index, count])).toEqual([
      [0, 0],
      [1, 3],
    ]);
    expect(events.map(({ type }) => type)).toContain('job.submitted');
    expect(events.at(-1)).toMatchObject({ type: 'run.finished', pages: 1, items: 3, outcome: 'complete' });
  });

  it.each([
    ['an empty array', json([])],
    ['a table without rows', respond(200, 'id\n', { 'content-type': 'text/csv' })],
    ['an empty array within', json({ rows: [] })],
  ])('tells once that a result has no items: %s', async (_, answer) => {
    const { origin } = await reports({ polls: 1, file: () => answer });
    const { items, events } = await run(origin);
    expect(items).toEqual([]);
    expect(events.flatMap((event) => (event.type === 'warning' ? [`${event.code} ${event.message}`] : []))).toEqual([
      expect.stringMatching(/^NO_DATA config\.jobs\[0\]: the result has no items\..*poll\.until/),
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'run.finished', outcome: 'complete' });
  });

  it('takes pages of the result, in the order of its pagination', async () => {
    const file = (_: string, { url }: ReceivedRequest): Answer => {
      const offset = Number(new URL(url, 'http://h').searchParams.get('offset'));
      return json(ROWS.slice(offset, offset + 2));
    };
    const { origin } = await reports({ polls: 2, file });
    const api = { pagination: { method: 'offset', limit: 2 } };
    const { items, events } = await run(origin, { api });
    expect(items).toEqual(ROWS);
    expect(events.at(-1)).toMatchObject({ pages: 2, items: 3, jobs: [{ pages: 2, outcome: 'complete' }] });
  });

  it.each([
    ['CSV', 'csv', 'id\n1\n2\n3\n', ['1', '2', '3'].map((id) => ({ id }))],
    ['JSON lines, streamed', 'jsonl', '{"id":1}\n{"id":2}\n{"id":3}\n', ROWS],
  ])('takes a file: %s', async (_, format, text, expected) => {
    const { origin } = await reports({ polls: 2, file: () => respond(200, text) });
    expect((await run(origin, { job: { format, stream: true, dataField: '.' } })).items).toEqual(expected);
    expect((await run(origin, { job: { format } })).items).toEqual(expected);
  });

  it('takes addresses of headers and answers, relative ones too', async () => {
    const { origin, requests } = await startServer(({ url, method }) => {
      if (method === 'POST') return respond(202, '', { location: 'status/7' });
      return url === '/v1/status/7' ? json({ status: 'done', file: '/out/7?sig=a%2Fb' }) : json(ROWS);
    });
    const { items, events, pages } = await run(`${origin}/v1`, {
      job: { id: undefined, endpoint: '{poll.file}' },
      submit: { values: { status: { header: 'Location' } } },
      poll: { endpoint: '{submit.status}', values: { file: 'file' } },
    });
    expect(items).toEqual(ROWS);
    // Its own address is known only from an answer.
    expect(new Set(pages.map(({ job }) => job.dataType))).toEqual(new Set(['reports']));
    expect(lines(requests)).toEqual(['POST /v1/reports', 'GET /v1/status/7', 'GET /out/7?sig=a%2Fb']);
    expect(events.filter(({ type }) => type === 'warning')).toEqual([]);
  });

  it.each([
    [3, ['INCOMPLETE']],
    [1, []],
  ])('warns where one of %i addresses is fetched: %j', async (count, codes) => {
    const files = Array.from({ length: count }, (_, at) => `/files/${at}`);
    const { origin } = await reports({ done: () => json({ status: 'done', urls: files }) });
    const { events } = await run(origin, { job: { endpoint: '{poll.url}' }, poll: { values: { url: 'urls.0' } } });
    const reported = events.flatMap((event) => (event.type === 'warning' ? [event] : []));
    expect(reported.map(({ code }) => code)).toEqual(codes);
    if (count > 1) expect(reported[0]?.message).toContain('the answer has 3 addresses there, and one is fetched');
  });

  it('fails with what the API says when there will be no result', async () => {
    const { origin, requests } = await reports({ done: () => json({ status: 'failed', why: 'too many rows' }) });
    const failure = await run(origin).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'JOB_FAILED', job: { id: 'report' } });
    expect(String(failure)).toContain('config.jobs[0].asynchronous.poll');
    expect(String(failure)).toContain('"why":"too many rows"');
    expect(requests).toHaveLength(6);
  });

  it('fails with a code and what to do when it never ends, whatever its state is', async () => {
    const { origin } = await reports({ polls: Infinity, during: json({ status: 'on hold' }) });
    const failure = await run(origin, { poll: { timeout: 0.1 } }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'JOB_TIMEOUT', recovery: 'retry', status: 200 });
    expect(String(failure)).toMatch(/within 0\.1 seconds.*"status":"on hold".*--resume/);
  });

  it('waits as long as Retry-After says, and fails at once where that is too long', async () => {
    const patient = await reports({ polls: 2, during: respond(202, {}, { 'retry-after': '1' }) });
    const before = Date.now();
    await run(patient.origin);
    expect(Date.now() - before).toBeGreaterThanOrEqual(990);
    const { origin, requests } = await reports({ during: respond(202, {}, { 'retry-after': '60' }) });
    await expect(run(origin)).rejects.toMatchObject({
      code: 'JOB_TIMEOUT',
      message: expect.stringContaining('the API asks to wait 60 seconds, and "timeout" is 5') as string,
    });
    expect(requests).toHaveLength(2);
  });

  it('takes a status of failure for an error, unless it says that the report is running', async () => {
    const { origin } = await reports({ polls: 3, during: respond(404, { error: 'not yet' }) });
    await expect(run(origin)).rejects.toMatchObject({ code: 'API_STATUS', status: 404 });
    const other = await reports({ polls: 3, during: respond(404, { error: 'not yet' }) });
    expect((await run(other.origin, { poll: { running: { status: 404 } } })).items).toEqual(ROWS);
  });

  it('fails where an answer lacks a value', async () => {
    const { origin } = await reports();
    const submit = { values: { id: 'export.id' } };
    const failure = await run(origin, { submit }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'API_SHAPE' });
    expect(String(failure)).toMatch(/submit\.values\.id: the answer has no string or number at "export\.id": \[202\]/);
  });

  it('asks for what is new when it submits', async () => {
    const { origin, requests } = await reports({ polls: 1 });
    const job = { incremental: { field: 'id', param: 'since', initial: 0 } };
    await run(origin, { job });
    expect(requests[0]?.body).toBe('{"since":0}');
    expect(requests.at(-1)?.url).toBe('/files/r1');
  });

  it('obeys rules, of which one may take an answer for no rows', async () => {
    for (const [action, outcome] of [
      ['end', 'complete'],
      ['skip', 'doubtful'],
    ] as const) {
      const { origin, requests } = await reports({ done: () => respond(204), polls: 1 });
      const { items, events } = await run(origin, { job: { rules: [{ when: { status: 204 }, do: action }] } });
      expect(items).toEqual([]);
      expect(requests).toHaveLength(2);
      expect(events.at(-1)).toMatchObject({ outcome, items: 0 });
    }
  });

  it('asks again each time, whatever the cache keeps', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headwater-cache-'));
    try {
      const { origin, requests } = await reports({ polls: 3 });
      const config = { ...configurationOf(origin), cache: true };
      const once = () => lastValueFrom(extract(config, { cacheFolder: folder }).pages$.pipe(toArray()));
      expect((await once()).flatMap(({ items }) => items)).toEqual(ROWS);
      expect(requests).toHaveLength(5);
      expect((await once()).flatMap(({ items }) => items)).toEqual(ROWS);
      expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('shows no secret of an address that an answer gives', async () => {
    const { origin } = await reports({
      polls: 1,
      done: () => json({ status: 'done', url: '/files/r1?X-Amz-Signature=5ecre7&token=t0ps3cret' }),
      file: () => respond(500, 'broken'),
    });
    const { pages$, events } = start(origin, {
      api: { retryConfig: { maxRetries: 0 } },
      job: { endpoint: '{poll.url}' },
      poll: { values: { url: 'url' } },
    });
    const failure = await lastValueFrom(pages$.pipe(toArray())).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'API_STATUS' });
    const reported = events.filter(({ type }) => type !== 'page.extracted');
    expect(`${String(failure)}${JSON.stringify(reported)}`).not.toMatch(/5ecre7|t0ps3cret/);
  });

  it('stops asking when nobody listens any more', async () => {
    const { origin, requests } = await reports({ polls: Infinity });
    const { pages$ } = start(origin);
    await firstValueFrom(pages$);
    const before = requests.length;
    await new Promise((done) => setTimeout(done, 60));
    expect(requests.length).toBeLessThanOrEqual(before + 1);
  });
});

describe('several reports', () => {
  it('of children: one submission a call, several at once', async () => {
    const asked = new Map<string, number>();
    let waiting = 0;
    let most = 0;
    const { origin, requests } = await startServer(({ url, method, body }) => {
      const [, kind, id = ''] = url.split('/');
      if (kind === 'shops') return json([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
      if (method === 'POST') {
        most = Math.max(most, (waiting += 1));
        return respond(202, { id: `r-${(JSON.parse(body) as { shop: string }).shop}` });
      }
      if (kind === 'files') {
        waiting -= 1;
        return json(id === 'r-b' ? [] : [{ of: id }]);
      }
      asked.set(id, (asked.get(id) ?? 0) + 1);
      return json({ status: (asked.get(id) ?? 0) < 4 ? 'running' : 'done' });
    });
    const child = {
      endpoint: 'files/{submit.id}',
      dataType: 'row',
      placeholders: { id: 'id' },
      asynchronous: { submit: { ...SUBMIT, params: { shop: '{id}' } }, poll: POLL },
    };
    const job = { endpoint: 'shops', concurrency: 3, children: [child] };
    const events: RunEvent[] = [];
    const { pages$ } = extract(
      { api: { baseUrl: `${origin}/` }, config: { jobs: [job] } },
      { onEvent: (event) => events.push(event) },
    );
    const pages = await lastValueFrom(pages$.pipe(toArray()));
    const rows = pages.filter(({ job: { dataType }, count }) => dataType === 'row' && count > 0);
    expect(rows.map(({ items, extra }) => [items, [...extra]])).toEqual([
      [[{ of: 'r-a' }], [['parent_id', 'a']]],
      [[{ of: 'r-c' }], [['parent_id', 'c']]],
    ]);
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
    expect(most).toBe(3);
    expect(events).toContainEqual(
      expect.objectContaining({
        code: 'NO_DATA',
        message: expect.stringMatching(/^config\.jobs\[0\]\.children\[0\]: 1 of 3 results have no items\./) as string,
      }),
    );
  });

  it('of windows: one submission a window', async () => {
    const { origin, requests } = await reports({ polls: 2 });
    const window = { from: '2024-01-01', to: '2024-01-03', step: '1 day' };
    const { items } = await run(origin, { job: { window }, submit: { params: { day: { window: 'from' } } } });
    expect(items).toHaveLength(6);
    expect(requests.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
      '{"day":"2024-01-01"}',
      '{"day":"2024-01-02"}',
    ]);
  });
});

describe('a download at another host', () => {
  const away = async (redirects: boolean, { hosts = true, allowed = false, written = false } = {}) => {
    const files = await startServer(() => json(ROWS));
    const target = `${files.origin.replace('localhost', '127.0.0.1')}/r1?signature=abc`;
    const api = await reports({
      polls: 1,
      done: () => json({ status: 'done', url: target }),
      file: () => respond(302, '', { location: target }),
    });
    const host = new URL(target).host;
    const changes: Changes = {
      api: {
        http: {
          headers: { 'X-Tenant': 'mine' },
          defaultOptions: { params: { key: 'k' } },
          ...(allowed ? { allowedHosts: [host] } : {}),
        },
        authentication: { type: 'basic' },
      },
      job: {
        endpoint: written ? `${new URL(target).origin}/{submit.id}` : redirects ? 'files/{submit.id}' : '{poll.url}',
        params: { part: '1' },
        headers: { 'X-Own': 'own' },
      },
      poll: { values: { url: 'url' } },
      ...(hosts ? { more: { downloadHosts: [host] } } : {}),
    };
    const config = configurationOf(api.origin, changes);
    const result = lastValueFrom(
      extract({ ...config, config: { ...config.config, username: 'u', '#password': 'p' } }).pages$.pipe(toArray()),
    );
    return { result, files, api };
  };

  it.each([
    ['given by the answer', false],
    ['by a redirect', true],
  ])('gets its address and nothing else: %s', async (_, redirects) => {
    const { result, files, api } = await away(redirects);
    expect((await result).flatMap(({ items }) => items)).toEqual(ROWS);
    const [download] = files.requests;
    expect(files.requests).toHaveLength(1);
    expect(download?.url).toBe('/r1?signature=abc');
    expect(Object.keys(download?.headers ?? {}).filter((name) => /^(authorization|cookie|x-)/.test(name))).toEqual([]);
    expect(api.requests.every(({ headers }) => headers.authorization !== undefined)).toBe(true);
  });

  it('gets its address and nothing else where the configuration writes it', async () => {
    const { result, files } = await away(false, { written: true });
    expect((await result).flatMap(({ items }) => items)).toEqual(ROWS);
    const [download] = files.requests;
    expect(download?.url).toBe('/r1');
    expect(Object.keys(download?.headers ?? {}).filter((name) => /^(authorization|cookie|x-)/.test(name))).toEqual([]);
  });

  it.each([
    ['given by the answer', false],
    ['by a redirect', true],
  ])('is refused where nobody allows it: %s', async (_, redirects) => {
    const { result, files } = await away(redirects, { hosts: false });
    const failure: unknown = await result.catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'ORIGIN_REFUSED' });
    // The signature is a key to the file.
    expect(JSON.stringify([failure, String(failure)])).not.toContain('abc');
    expect(JSON.stringify(failure)).toContain('r1?signature=***');
    expect(files.requests).toEqual([]);
  });
});

describe('a run that goes on', () => {
  const first = async (origin: string, count: number, changes: Changes = {}) =>
    lastValueFrom(start(origin, changes).pages$.pipe(take(count), toArray()));

  it('asks for the report that was submitted, and gives its rows once', async () => {
    const { origin, requests } = await reports();
    const pages = await first(origin, 1);
    const { items } = await run(origin, {}, pages);
    expect(items).toEqual(ROWS);
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('goes on within the pages of the report', async () => {
    const file = (_: string, { url }: ReceivedRequest): Answer => {
      const offset = Number(new URL(url, 'http://h').searchParams.get('offset'));
      return json(ROWS.slice(offset, offset + 2));
    };
    const { origin, requests } = await reports({ polls: 2, file });
    const changes = { api: { pagination: { method: 'offset', limit: 2 } } };
    const pages = await first(origin, 2, changes);
    const { items, pages: rest } = await run(origin, changes, pages);
    expect([...pages, ...rest].map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(items).toEqual([{ id: 3 }]);
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it.each([1, 2])('submits again what the API no longer has, after page %i', async (count) => {
    const gone = new Set<string>();
    const { origin, requests } = await reports({ polls: 2, gone, file: () => respond(200, '{"id":1}\n{"id":2}\n') });
    const changes = { job: { format: 'jsonl', stream: { pageItems: 1 }, dataField: '.' } };
    const pages = await first(origin, count, changes);
    gone.add('r1');
    const { items, events, pages: again } = await run(origin, changes, pages);
    expect(items).toEqual([{ id: 1 }, { id: 2 }]);
    expect(again.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
    expect(events).toContainEqual(expect.objectContaining({ type: 'warning', code: 'JOB_RESTARTED' }));
  });

  it('submits again where only the file is gone', async () => {
    const { origin, requests } = await reports({
      polls: 1,
      file: (id) => (id === 'r1' ? respond(410) : json(ROWS)),
    });
    const { items } = await run(origin, {}, await first(origin, 1));
    expect(items).toEqual(ROWS);
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  it('submits again what has failed meanwhile, and fails where that fails too', async () => {
    const { origin, requests } = await reports({
      polls: 1,
      done: (id) => json({ status: id === 'r2' ? 'done' : 'failed' }),
    });
    expect((await run(origin, {}, await first(origin, 1))).items).toEqual(ROWS);
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
    const other = await reports({ polls: 1, done: () => json({ status: 'failed' }) });
    await expect(run(other.origin, {}, await first(other.origin, 1))).rejects.toMatchObject({ code: 'JOB_FAILED' });
  });

  it('takes all pages of the same report again where keys have to be unique', async () => {
    const text = '{"id":1}\n{"id":1}\n{"id":2}\n';
    const { origin, requests } = await reports({ polls: 1, file: () => respond(200, text) });
    const changes = { job: { format: 'jsonl', stream: { pageItems: 1 }, dataField: '.', unique: 'id' } };
    const { items } = await run(origin, changes, await first(origin, 3, changes));
    expect(items).toEqual([{ id: 1 }, { id: 2 }]);
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it.each(['csv', 'duckdb'])('into %s: nothing is lost or doubled, wherever it is broken off', async (kind) => {
    for (const survives of [true, false])
      for (const breaksAfter of [1, 2, 3]) {
        const folder = mkdtempSync(join(tmpdir(), 'headwater-report-'));
        try {
          const gone = new Set<string>();
          const file = () => respond(200, '{"id":1}\n{"id":2}\n{"id":3}\n');
          const { origin, requests } = await reports({ polls: 2, gone, file });
          const config = configurationOf(origin, {
            job: { dataType: 'row', format: 'jsonl', stream: { pageItems: 1 }, dataField: '.' },
          });
          const destination = () =>
            kind === 'csv' ? sinks.csv(join(folder, 'out')) : sinks.duckdb(join(folder, 'out.duckdb'));
          let pages = 0;
          const broken = deliver(config, [destination()], {
            onEvent: ({ type }) => {
              if (type === 'page.extracted' && (pages += 1) > breaksAfter) throw new Error('killed');
            },
          });
          await expect(broken).rejects.toThrow('killed');
          if (!survives) gone.add('r1');
          const { resumedPages } = await deliver(config, [destination()], { resume: true });
          expect(resumedPages).toBeGreaterThan(0);
          expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(survives ? 1 : 2);
          if (kind === 'csv')
            expect(readFileSync(join(folder, 'out', 'row.csv'), 'utf8')).toBe('"id"\n"1"\n"2"\n"3"\n');
          else expect(await queryDuckDB(join(folder, 'out.duckdb'), 'SELECT id FROM row ORDER BY id')).toEqual(IDS);
        } finally {
          rmSync(folder, { recursive: true });
        }
      }
  });
});

describe('the command', () => {
  it('killed while the report is made goes on with the same report', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headwater-killed-'));
    try {
      let isReady = false;
      const { origin, requests, received } = await reports({
        polls: 1,
        done: () => json({ status: isReady ? 'done' : 'running' }),
        file: () => respond(200, 'id,text\n1,a\n2,b\n'),
      });
      const path = join(folder, 'config.json');
      writeFileSync(
        path,
        JSON.stringify(configurationOf(origin, { job: { dataType: 'row', format: 'csv' }, poll: { every: 0.05 } })),
      );
      const args = ['run', path, '--to', `csv:${join(folder, 'out')}`];
      const killed = startCommand(args);
      await received(10);
      killed.child.kill('SIGKILL');
      await killed.closed;
      isReady = true;
      const { status, stderr } = await runToEnd([...args, '--resume']);
      expect(stderr).toContain('The run went on after 1 page');
      expect(status).toBe(0);
      expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
      expect(readFileSync(join(folder, 'out', 'row.csv'), 'utf8')).toBe('"id","text"\n"1","a"\n"2","b"\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('tells how to go on when the report is not there in time', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headwater-late-'));
    try {
      const { origin } = await reports({ polls: Infinity });
      const path = join(folder, 'config.json');
      writeFileSync(path, JSON.stringify(configurationOf(origin, { poll: { timeout: 0.2 } })));
      const { status, stderr } = await runToEnd(['run', path, '--to', `csv:${join(folder, 'out')}`]);
      expect(status).not.toBe(0);
      expect(stderr).toContain('the result was not there within 0.2 seconds');
      expect(stderr).toContain('--resume');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('what is refused before anything is sent', () => {
  it.each([
    [{ poll: { until: undefined } }, 'config.jobs[0].asynchronous.poll.until: required'],
    [{ poll: { endpoint: 'reports/{submit.ids}' } }, 'did you mean "submit.id"?'],
    [{ submit: { params: { id: '{submit.id}' } } }, 'nothing has been answered yet'],
    [{ job: { params: { of: ['{poll.url}'] } } }, 'config.jobs[0].params.of[0]: {poll.url}: the values'],
    [{ poll: { every: -1 } }, 'config.jobs[0].asynchronous.poll.every: expected a number of seconds'],
    [{ submit: { values: { '{id}': 'id' } } }, 'expected names without braces'],
    [{ submit: { values: { id: { path: 'id', header: 'Location' } } } }, 'write only one of them'],
    [
      { api: { pagination: { method: 'offset', limit: 2 } }, more: { downloadHosts: ['files.example'] } },
      'config.jobs[0].asynchronous.downloadHosts: needs a job without pagination',
    ],
  ])('%j', (changes, expected) => {
    expect(() => validate(configurationOf('http://h.example', changes as Changes))).toThrow(expected);
  });
});
