/** A type of authentication that an application brings, against a server that verifies each signature. */
import { lastValueFrom, toArray } from 'rxjs';
import { ConfigurationError, extract, type ExtractOptions, type RunEvent } from '../../../src';
import { BUILT_IN } from '../../../src/run/built-in-parts';
import { configurationSchema } from '../../support/language';
import { prepare } from '../../../src/run/validate';
import { json, redirectTo, type Answer } from '../../support/answers';
import { startServer, type ApiServer, type ReceivedRequest } from '../../support/api-server';
import { hmacSignature, signatureOf } from './hmac-signature';

const SECRET = 'brown-trout';
const configuration = (options: object, config: object, baseUrl = 'https://api.example', endpoint = 'items') => ({
  api: { baseUrl, authentication: { type: 'hmac', ...options } },
  config: { ...config, jobs: [{ endpoint }] },
});
const CREDENTIALS = { keyId: 'k1', '#hmacSecret': SECRET };

const isSigned = ({ method, url, headers }: ReceivedRequest, algorithm = 'sha256'): boolean =>
  headers['x-key'] === 'k1' &&
  Math.abs(Number(headers['x-time']) - Date.now()) < 60_000 &&
  headers['x-signature'] === signatureOf(algorithm, SECRET, method, url, String(headers['x-time']));

function faultsOf(options: object, config: object): readonly string[] {
  try {
    prepare(configuration(options, config), { components: [hmacSignature] });
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults.map(({ path, message }) => `${path}: ${message}`);
    throw error;
  }
}

describe('a signature that an application brings', () => {
  let server: ApiServer;
  const events: RunEvent[] = [];
  afterEach(async () => {
    events.length = 0;
    await server.close();
  });

  async function run(options: object, answer: (request: ReceivedRequest) => Answer, endpoint = 'items') {
    server = await startServer(answer);
    const given: ExtractOptions = { components: [hmacSignature], onEvent: (event) => events.push(event) };
    const { items$ } = extract(configuration(options, CREDENTIALS, server.origin, endpoint), given);
    return lastValueFrom(items$.pipe(toArray()));
  }

  it('is good for each attempt and each redirect, and never printed', async () => {
    const answers: Answer[] = [
      json({}, 503, { 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT' }),
      redirectTo('/moved?page=1'),
      json([{ id: 1 }]),
    ];
    const items = await run({}, (request) => (isSigned(request) ? answers.shift() : undefined) ?? json({}, 403));
    expect(items).toEqual([{ id: 1 }]);
    expect(server.requests.map(({ url }) => url)).toEqual(['/items', '/items', '/moved?page=1']);
    const signatures = server.requests.map(({ headers }) => String(headers['x-signature']));
    expect(new Set(signatures).size).toBe(3);
    const reported = JSON.stringify(events);
    for (const secret of [SECRET, ...signatures]) expect(reported).not.toContain(secret);
  });

  it('is masked where an API repeats it', async () => {
    const failed = run({ algorithm: 'sha512' }, (request) => json({ seen: request.headers, key: SECRET }, 400));
    await expect(failed).rejects.toMatchObject({ code: 'API_STATUS' });
    const message = await failed.catch(String);
    expect(message).toContain('***');
    expect(message).not.toContain(String(server.requests[0]?.headers['x-signature']));
    expect(message).not.toContain(SECRET);
    expect(server.requests.map((request) => isSigned(request, 'sha512'))).toEqual([true]);
  });

  it('does not go to another host', async () => {
    const other = await startServer(() => json([{ id: 2 }]));
    const items = await run({}, () => json([]), `${other.origin.replace('localhost', '127.0.0.1')}/items`);
    await other.close();
    expect(items).toEqual([{ id: 2 }]);
    expect(other.requests.flatMap(({ headers }) => Object.keys(headers)).filter((name) => /^x-/.test(name))).toEqual(
      [],
    );
  });
});

describe('the configuration of a signature that an application brings', () => {
  it('has its faults with all others, each at its place', () => {
    expect(faultsOf({ algorithm: 'sha265', hedaer: 'X-S' }, { keyId: 'k1' })).toEqual([
      'api.authentication.algorithm: expected one of sha256, sha512, found "sha265"; did you mean "sha256"?',
      'api.authentication.hedaer: has no effect: unknown key; did you mean "header"?',
      'config.#hmacSecret: required by hmac authentication: "#hmacSecret" (or "hmacSecret")',
    ]);
    expect(faultsOf({ header: 'x-time' }, CREDENTIALS)).toEqual([
      'api.authentication.header: is taken: this header carries the key or the time',
    ]);
    expect(faultsOf({ type: 'hmca' }, CREDENTIALS)).toEqual([
      expect.stringMatching(/^api\.authentication\.type: expected one of .*, found "hmca"; did you mean "hmac"\?$/),
    ]);
    expect(faultsOf({}, CREDENTIALS)).toEqual([]);
  });

  it('is a branch of the schema', () => {
    const authentication = new Map([...BUILT_IN.authentication, [hmacSignature.name, hmacSignature]]);
    const schema = JSON.stringify(configurationSchema({ ...BUILT_IN, authentication }));
    expect(schema).toContain('"authentication.hmac"');
    expect(schema).toContain('"The header that carries the signature."');
  });
});
