import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { lastValueFrom, toArray } from 'rxjs';
import { extract } from '../../../src';
import type { Har, RunEvent } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, Handler } from '../../support/api-server';

const KEY = 'k3y-of-the-river-that-nobody-tells';
const PRIVATE = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const PEM = PRIVATE.export({ type: 'pkcs8', format: 'pem' }).toString();
const HS = { type: 'jwt', algorithm: 'HS256', key: { attr: '#key' } };

const partsOf = (token = ''): Record<string, unknown>[] =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>);

describe('jwt', () => {
  const servers: ApiServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });
  const start = async (handler: Handler): Promise<ApiServer> => {
    const server = await startServer(handler);
    servers.push(server);
    return server;
  };
  const configured = (server: ApiServer, authentication: object, { api = {}, jobs = ['items'] } = {}): object => ({
    api: { baseUrl: server.origin, authentication, ...api },
    config: { '#key': KEY, '#claim': 'cl41m-secret', jobs: jobs.map((endpoint) => ({ endpoint })) },
  });
  const run = async (config: object): Promise<{ items: unknown[]; reported: string; error: unknown }> => {
    const events: RunEvent[] = [];
    let recorded: Har | undefined;
    const { items$ } = extract(config, { onEvent: (event) => events.push(event), record: (har) => (recorded = har) });
    let error: unknown;
    const items = await lastValueFrom(items$.pipe(toArray())).catch((thrown: unknown) => {
      error = thrown;
      return [];
    });
    return { items, error, reported: inspect([events, recorded, error], { depth: 12, maxStringLength: Infinity }) };
  };
  const bearersOf = ({ requests }: ApiServer): (string | undefined)[] =>
    requests.map(({ headers }) => headers.authorization?.replace('Bearer ', ''));

  it('signs one token for all requests, with the claims and the times', async () => {
    const server = await start(() => json([1]));
    const before = Math.floor(Date.now() / 1000);
    const authentication = {
      ...HS,
      keyId: 'k1',
      jti: true,
      lifetime: 600,
      claims: { iss: 'river', aud: ['a', 'b'], sub: { attr: '#claim' } },
    };
    const { items } = await run(configured(server, authentication, { jobs: ['a', 'b'] }));
    expect(items).toEqual([1, 1]);
    const [first, second] = bearersOf(server);
    expect(second).toBe(first);
    const [header, claims] = partsOf(first);
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT', kid: 'k1' });
    expect(claims).toMatchObject({ iss: 'river', aud: ['a', 'b'], sub: 'cl41m-secret' });
    expect(claims?.['jti']).toMatch(/^[0-9a-f-]{36}$/);
    const { iat, exp } = claims as { iat: number; exp: number };
    expect(iat).toBeGreaterThanOrEqual(before);
    expect(exp - iat).toBe(600);
  });

  it.each([
    ['grant', 'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer', 'assertion'],
    ['client', 'grant_type=client_credentials', 'client_assertion'],
  ])('exchanges it as %s, and sends the access token alone', async (as, grant, name) => {
    let given = 0;
    const tokens = await start(() => json({ access_token: `t0k3n-${(given += 1)}`, expires_in: 3600 }));
    const server = await start(({ headers }) =>
      headers.authorization === 'Bearer t0k3n-2' ? json([1]) : json({}, 401),
    );
    const exchange = { tokenEndpoint: `${tokens.origin}/token`, as, scope: 'stations:read' };
    const { items, reported } = await run(
      configured(server, { ...HS, jti: true, claims: { iss: 'river' }, exchange }, { jobs: ['a', 'b'] }),
    );
    expect(items).toEqual([1, 1]);
    const forms = tokens.requests.map(({ body }) => new URLSearchParams(body));
    expect(tokens.requests[0]?.body).toContain(grant);
    expect(forms.map((form) => form.get('scope'))).toEqual(['stations:read', 'stations:read']);
    const assertions = forms.map((form) => form.get(name) ?? '');
    expect(partsOf(assertions[0])[1]).toMatchObject({ iss: 'river' });
    expect(assertions[1]).not.toBe(assertions[0]);
    for (const secret of [...assertions, 't0k3n-1', 't0k3n-2']) expect(reported).not.toContain(secret);
  });

  it('a token endpoint that gives no access token fails the run', async () => {
    const tokens = await start(() => json({ error: 'no' }));
    const server = await start(() => json([1]));
    const { error } = await run(configured(server, { ...HS, exchange: { tokenEndpoint: `${tokens.origin}/token` } }));
    expect(error).toMatchObject({ code: 'EXPRESSION_FAILED' });
    expect(server.requests).toEqual([]);
  });

  it('takes the file of a service account', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-jwt-'));
    try {
      const file = join(folder, 'account.json');
      const account = {
        type: 'service_account',
        private_key_id: 'id-1',
        private_key: PEM,
        client_email: 'a@b.example',
        token_uri: 'https://id.example/token',
      };
      await writeFile(file, JSON.stringify(account));
      const server = await start(() => json([1]));
      const { items, reported } = await run(
        configured(server, { type: 'jwt', algorithm: 'RS256', key: { file }, claims: { scope: 'read' } }),
      );
      expect(items).toEqual([1]);
      const [header, claims] = partsOf(bearersOf(server)[0]);
      expect(header).toMatchObject({ alg: 'RS256', kid: 'id-1' });
      expect(claims).toMatchObject({ iss: 'a@b.example', aud: 'https://id.example/token', scope: 'read' });
      expect(reported).not.toContain(PEM.slice(40, 80));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
