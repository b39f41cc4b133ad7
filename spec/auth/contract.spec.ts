/** What holds for all types of authentication: `rows.ts` has what each of them sends. */
import { inspect } from 'node:util';
import { lastValueFrom, toArray } from 'rxjs';
import { ConfigurationError, explainConfiguration, extract, requestsOf, validate } from '../../src';
import type { Har, RunEvent } from '../../src';
import * as types from '../../src/auth/types';
import { ROWS } from './rows';
import type { Refused, Row, Seen } from './rows';

const HOME = 'https://api.example';
const ELSEWHERE = 'https://elsewhere.example';
const rows = ROWS.map((row) => [`${row.type}: ${row.what}`, row] as const);
const renewing = rows.filter(([, { renews }]) => renews === true);
const logins = ROWS.flatMap((row) => {
  const { login } = row;
  return login === undefined ? [] : [[`${row.type}: ${row.what}`, row, login] as const];
});

interface Changes {
  readonly authentication?: object;
  readonly config?: object;
  readonly credentials?: object;
  readonly api?: object;
  readonly jobs?: readonly object[];
  /** Name and password in the base URL. */
  readonly userinfo?: string;
}

const configOf = (row: Row, { authentication, config, credentials, api, jobs, userinfo = '' }: Changes = {}) => ({
  api: {
    baseUrl: HOME.replace('://', `://${userinfo}`),
    authentication: { type: row.type, ...row.options, ...authentication },
    ...api,
  },
  config: { ...row.config, ...config, jobs: jobs ?? [{ endpoint: 'items' }] },
  ...(row.credentials === undefined
    ? {}
    : { authorization: { oauth_api: { credentials: { ...row.credentials, ...credentials } } } }),
});

const json = (data: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  Response.json(data, { status, headers });
const redirectTo = (location: string): Response => new Response(null, { status: 302, headers: { location } });
const unavailable = (): Response => json({}, 503, { 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT' });

interface Played {
  readonly items: readonly unknown[];
  readonly error: unknown;
  /** Requests to the API with the right credentials: these, as they were sent. */
  readonly proofs: readonly string[];
  /** Requests to the API with others, or with none. */
  readonly strangers: readonly Seen[];
  readonly logins: readonly Seen[];
  /** Requests to {@link ELSEWHERE}. */
  readonly elsewhere: readonly Seen[];
  readonly warnings: readonly string[];
  /** All that the run has told: events, lines of the log, a recording, the error. */
  readonly reported: string;
}

/**
 * Runs a configuration against an API in this process, that answers whoever has the credentials.
 *
 * @param answer is given what such a request has for them, and how many there were before; absent: one item each
 */
async function play(
  row: Row,
  changes: Changes = {},
  answer: (request: Seen, proof: string, before: number) => Response | Promise<Response> = () => json([1]),
  answerLogin?: (request: Seen) => Response,
  env?: Record<string, string>,
): Promise<Played> {
  const proofs: string[] = [];
  const strangers: Seen[] = [];
  const asked: Seen[] = [];
  const elsewhere: Seen[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, { ...init, signal: null });
    const headers = Object.fromEntries(request.headers);
    const seen: Seen = { method: request.method, url: new URL(request.url), headers, body: await request.text() };
    if (seen.url.origin === ELSEWHERE && row.proof(seen, asked.length) === undefined) {
      elsewhere.push(seen);
      return seen.url.pathname === '/allowed' && row.challenge !== undefined ? json({}, 401, row.challenge) : json([2]);
    }
    if (seen.url.pathname === '/login') {
      const given = row.login?.answer(asked.push(seen));
      return answerLogin?.(seen) ?? json(given?.json, 200, given?.headers);
    }
    const proof = row.proof(seen, asked.length);
    if (proof !== undefined) return answer(seen, proof, proofs.push(proof) - 1);
    strangers.push(seen);
    return json({ error: 'who are you?' }, 401, row.challenge);
  };
  const events: RunEvent[] = [];
  const lines: unknown[] = [];
  let recorded: Har | undefined;
  const { items$ } = extract(configOf(row, changes), {
    ...{ fetch, ...(env === undefined ? {} : { env }) },
    logger: { log: (...line: unknown[]) => void lines.push(line) },
    onEvent: (event) => events.push(event),
    record: (har) => (recorded = har),
  });
  let error: unknown;
  const items = await lastValueFrom(items$.pipe(toArray())).catch((thrown: unknown) => {
    error = thrown;
    return [];
  });
  const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
  const reported = inspect([events, lines, recorded, error], {
    depth: 12,
    maxStringLength: Infinity,
    maxArrayLength: Infinity,
  });
  return { items, error, proofs, strangers, logins: asked, elsewhere, warnings, reported };
}

const withoutWord = (proof: string): readonly string[] => [proof.replace(/^\w+[ =]/, '')];
const secretsOf = (
  { secrets, secretsIn = withoutWord, renews }: Row,
  { proofs, logins }: Played,
): readonly string[] => [
  ...secrets,
  ...proofs.flatMap(secretsIn),
  ...(renews === true ? logins.flatMap((_, at) => [`t0k3n-${at + 1}`, `r3fresh-${at + 1}`]) : []),
];
/** No part of what is long, either. */
const LONG = 24;
const PART = 12;
function expectNothingReported(row: Row, played: Played): void {
  for (const secret of secretsOf(row, played))
    for (const part of secret.length < LONG ? [secret] : [secret.slice(0, PART), secret.slice(-PART)])
      expect(played.reported).not.toContain(part);
}

const faultLines = (error: unknown): readonly string[] =>
  error instanceof ConfigurationError
    ? error.faults.map(({ path, message }) => `${path}: ${message}`)
    : [String(error)];
const escaped = (text: string): string => text.replace(/[.*+?^$(){}|[\]\\]/g, '\\$&');
/** Of a configuration that is refused at once. */
const failed = (error: unknown) => ({ error, reported: String(error) });
const named = ({ faults, ...changes }: Refused): string =>
  `${JSON.stringify(changes, (_, value: unknown) => (value === undefined ? 'nothing' : value))}: ${faults.length} fault(s)`;

/** An API of pages with an item each, three of them. */
const pages = ({ url }: Seen): Response => {
  const offset = Number(url.searchParams.get('offset'));
  return json(offset < 2 ? [offset] : []);
};
const paged = { pagination: { method: 'offset', limit: 1 } };

describe('the table of authentication', () => {
  it('has all types', () => {
    const names = Object.values(types).map(({ name }) => name);
    expect([...new Set(ROWS.map(({ type }) => type))].sort()).toEqual([...names].sort());
  });
});

describe('every request of a job carries the credentials: each page, each attempt, each redirect', () => {
  it.each(rows)('%s', async (_, row) => {
    const played = await play(row, { api: paged }, (request, __, before) => {
      if (before === 0) return unavailable();
      return before === 1 ? redirectTo('/moved?limit=1&offset=0') : pages(request);
    });
    expect([played.items, played.error]).toEqual([[0, 1], undefined]);
    expect(played.proofs).toHaveLength(5);
    expect(played.strangers).toHaveLength(row.challenge === undefined ? 0 : 1);
    expect(played.logins).toHaveLength(row.login === undefined ? 0 : 1);
    const isOfPath = row.type === 'query';
    expect(new Set(played.proofs).size).toBe(row.isFresh === true ? 5 : isOfPath ? 2 : 1);
    expectNothingReported(row, played);
    if (row.inQuery !== undefined) expect(played.reported).toContain(row.inQuery);
  });
});

describe('they take the place of what the job has there, and of a name in the base URL', () => {
  it.each(rows)('%s', async (_, row) => {
    const played = await play(row, { jobs: [{ endpoint: 'items', ...row.own }], userinfo: 'other:pw@' });
    expect([played.items, played.error, played.proofs.length]).toEqual([[1], undefined, 1]);
  });
});

describe('what is secret is in no event, line of the log, recording or error, nor in a plan', () => {
  it.each(rows)('%s, though the API repeats it', async (_, row) => {
    const played = await play(row, {}, (__, seen) => json({ seen, secrets: row.secrets }, 400));
    expect(played.error).toMatchObject({ code: 'API_STATUS' });
    if (typeof row.shown === 'string') expect(String(played.error)).toContain(row.shown);
    else expect(String(played.error)).toMatch(row.shown);
    expectNothingReported(row, played);
    const planned = inspect([requestsOf(configOf(row)), explainConfiguration(configOf(row))], {
      depth: 12,
      maxStringLength: Infinity,
    });
    expect(planned).toContain(HOME);
    expect(planned).not.toMatch(/eyJ/);
    for (const secret of row.secrets) expect(planned).not.toContain(secret);
  });

  it.each(logins)('%s, though the login fails', async (_, row, { shown }) => {
    const played = await play(row, {}, undefined, ({ headers, body }) =>
      json({ proof: headers['x-proof'], authorization: headers['authorization'], body }, 400),
    );
    expect(played.error).toMatchObject({ code: 'API_STATUS' });
    expect(String(played.error)).toContain(shown);
    expect([played.logins.length, played.proofs, played.strangers]).toEqual([1, [], []]);
    expectNothingReported(row, played);
  });
});

describe('a login', () => {
  it.each(logins)('%s: is sent once, as it is written', async (_, row, { asked }) => {
    const played = await play(row, { jobs: ['a', 'b', 'c'].map((endpoint) => ({ endpoint })) });
    expect(played.items).toEqual([1, 1, 1]);
    const [login] = played.logins;
    const { method, url, headers, body } = login as Seen;
    const shown = ['x-proof', 'authorization'].flatMap((name) =>
      headers[name] === undefined ? [] : [`[${name}: ${headers[name]}]`],
    );
    const line = [method, url.pathname, ...shown, decodeURIComponent(body)].join(' ');
    expect([line.slice(0, asked.length), played.logins.length]).toEqual([asked, 1]);
    if (row.type !== 'jwt') expect(line).toBe(asked);
  });

  it.each(logins)('%s: requests at once share it', async (_, row) => {
    const jobs = ['a', 'b', 'c'].map((endpoint) => ({ endpoint }));
    const played = await play(row, { jobs, config: { concurrency: 3 } });
    expect([played.items, played.logins.length, played.proofs.length]).toEqual([[1, 1, 1], 1, 3]);
  });
});

describe('a status 401', () => {
  const refusing = (row: Row, count: number) => (_: Seen, __: string, before: number) =>
    before < count ? json({}, 401, row.challenge) : json([1]);

  it.each(renewing)('%s: leads to new credentials once, and the request is repeated once', async (_, row) => {
    const played = await play(row, {}, refusing(row, 1));
    expect([played.items, played.error]).toEqual([[1], undefined]);
    expect([played.proofs.length, new Set(played.proofs).size, played.strangers]).toEqual([2, 2, []]);
    expect(played.logins).toHaveLength(row.login === undefined ? 0 : 2);
    expectNothingReported(row, played);
  });

  it.each(renewing)('%s: a second one is an error', async (_, row) => {
    const played = await play(row, { api: paged }, refusing(row, Infinity));
    expect([played.items, played.error]).toEqual([[], expect.objectContaining({ code: 'API_STATUS' })]);
    expect([played.proofs.length, played.strangers]).toEqual([2, []]);
    expect(played.logins).toHaveLength(row.login === undefined ? 0 : 2);
    expectNothingReported(row, played);
  });

  it.each(renewing)('%s: requests that are refused at once share what they get again', async (_, row) => {
    const jobs = ['a', 'b', 'c'].map((endpoint) => ({ endpoint }));
    let release = (): void => undefined;
    const together = new Promise<void>((resolve) => (release = resolve));
    const played = await play(row, { jobs, config: { concurrency: 3 } }, async (__, ___, before) => {
      if (before === 2) release();
      await together;
      return before < 3 ? json({}, 401) : json([1]);
    });
    expect([played.items, played.error]).toEqual([[1, 1, 1], undefined]);
    expect([played.proofs.length, new Set(played.proofs).size, played.strangers]).toEqual([6, 2, []]);
    expect(played.logins).toHaveLength(row.login === undefined ? 0 : 2);
  });

  it.each(rows.filter(([, { renews }]) => renews !== true))(
    '%s: is an error, and nothing is repeated',
    async (_, row) => {
      const played = await play(row, { api: paged }, refusing(row, Infinity));
      expect([played.items, played.error]).toEqual([[], expect.objectContaining({ code: 'API_STATUS' })]);
      expect([played.proofs.length, played.strangers.length]).toEqual([1, row.challenge === undefined ? 0 : 1]);
    },
  );
});

describe('another origin', () => {
  const bare = ({ url, headers, body }: Seen): readonly unknown[] => [
    url.pathname + url.search,
    Object.keys(headers).filter((name) => /^(authorization|cookie|x-.*)$/.test(name)),
    body,
  ];

  it.each(rows)('%s: a redirect there is refused, and nothing is sent', async (_, row) => {
    const played = await play(row, {}, () => redirectTo(`${ELSEWHERE}/taken`));
    expect(played.error).toMatchObject({ code: 'ORIGIN_REFUSED' });
    expect([played.proofs.length, played.elsewhere]).toEqual([1, []]);
    expectNothingReported(row, played);
  });

  it.each(rows)('%s: a job there has no credentials', async (_, row) => {
    const played = await play(row, { jobs: [{ endpoint: `${ELSEWHERE}/named` }] });
    expect([played.items, played.error, played.proofs]).toEqual([[2], undefined, []]);
    expect(played.elsewhere.map(bare)).toEqual([['/named', [], '']]);
    expectNothingReported(row, played);
  });

  it.each(rows)('%s: a host that is allowed has them, unless they are of one host', async (_, row) => {
    const api = { http: { allowedHosts: ['elsewhere.example'] } };
    const played = await play(row, { api, jobs: [{ endpoint: `${ELSEWHERE}/allowed` }] });
    expect(played.error).toBeUndefined();
    if (row.isOfHost !== true) expect([played.items, played.proofs.length]).toEqual([[1], 1]);
    else expect(played.elsewhere.map(bare)).toEqual([['/allowed', [], '']]);
    expectNothingReported(row, played);
  });
});

describe('before the first request', () => {
  const refused = ROWS.flatMap((row) => row.refused.map((each) => [row.type, named(each), row, each] as const));

  it.each(refused)('%s with %s is refused, with its place', async (_, __, row, changes) => {
    const played = await play(row, changes).catch(failed);
    expect(faultLines(played.error)).toEqual(
      changes.faults.map((fault): unknown => expect.stringMatching(new RegExp(`^${escaped(fault)}`))),
    );
    for (const secret of row.secrets) expect(played.reported).not.toContain(secret);
    if ('proofs' in played) expect([played.proofs, played.strangers, played.logins]).toEqual([[], [], []]);
  });

  it.each(rows.filter(([, { slip }]) => slip !== undefined))(
    '%s: an unknown option is refused, with what may have been meant',
    async (_, row) => {
      const [written, meant] = row.slip ?? [];
      const { error } = await play(row, { authentication: { [String(written)]: 'x' } }).catch(failed);
      expect(faultLines(error)).toEqual([
        `api.authentication.${written}: has no effect: unknown key; did you mean "${meant}"?`,
      ]);
    },
  );

  it.each(rows.filter(([, { slip }]) => slip === undefined))(
    '%s, without options: any is warned of',
    async (_, row) => {
      const played = await play(row, { authentication: { username: 'x' } });
      expect(played.warnings).toEqual(['api.authentication.username: has no effect: unknown key']);
    },
  );

  it('a misspelled type is refused, with what may have been meant', () => {
    for (const { name } of Object.values(types))
      expect(() => validate(configOf({ ...(ROWS[0] as Row), type: `${name}_` }))).toThrow(
        `found "${name}_"; did you mean "${name}"?`,
      );
  });
});

describe('a secret of the environment', () => {
  const inEnvironment = rows.filter(
    ([, { secretOption, secrets }]) => secretOption !== undefined && secrets[0] !== undefined,
  );

  it.each(inEnvironment)('%s: is sent, and not told', async (_, row) => {
    const [option, shownAs] = row.secretOption ?? ['', /^$/];
    const authentication = { [option]: { env: 'HEADWATER_SPEC_SECRET' } };
    const written = (Object.values(row.config ?? {})[0] ?? (row.options as Record<string, unknown>)[option]) as string;
    const env = { HEADWATER_SPEC_SECRET: written };
    const played = await play(row, { authentication }, undefined, undefined, env);
    expect([played.items, played.proofs.length]).toEqual([[1], 1]);
    expectNothingReported(row, played);
    const config = configOf(row, { authentication });
    const planned = inspect([requestsOf(config, { env }), explainConfiguration(config, { env })], { depth: 12 });
    expect(planned).toContain('***');
    for (const secret of row.secrets) expect(planned).not.toContain(secret);
    expect(requestsOf(config, { env, unset: 'stand in' }).variables.map(({ name }) => name)).toEqual([
      expect.stringMatching(shownAs),
    ]);
    expect(() => validate(config, { env: {} })).toThrow(
      `api.authentication.${option}: the environment variable HEADWATER_SPEC_SECRET is not set`,
    );
  });
});

describe('old names', () => {
  const aliased = Object.values(types).flatMap(({ name, ...type }) =>
    ('aliases' in type ? (type.aliases ?? []) : []).map((alias) => [alias, name] as const),
  );

  it.each(aliased)('%s works as %s, with a warning', async (alias, name) => {
    const row = ROWS.find(({ type }) => type === name) as Row;
    const played = await play({ ...row, type: alias });
    expect([played.items, played.error, played.proofs.length]).toEqual([[1], undefined, 1]);
    expect(played.warnings).toEqual([expect.stringContaining(name)]);
    expectNothingReported(row, played);
  });

  const moved = Object.values(types).flatMap(({ name, ...type }) =>
    Object.entries('oldPlaces' in type ? (type.oldPlaces ?? {}) : {}).map(
      ([option, key]) => [name, option, key] as const,
    ),
  );

  it.each(moved)('%s: %s may stand in api.%s, with a warning', async (name, option, key) => {
    const row = ROWS.find(({ type }) => type === name) as Row;
    const value = (row.options as Record<string, unknown>)[option];
    const played = await play(row, { authentication: { [option]: undefined }, api: { [key]: value } });
    expect([played.items, played.error, played.proofs.length]).toEqual([[1], undefined, 1]);
    expect(played.warnings).toEqual([expect.stringContaining(`api.${key}`)]);
    expectNothingReported(row, played);
  });
});
