/** Certificates over whole runs, against a real server (language 2.6). */
import { lastValueFrom, toArray } from 'rxjs';
import { extract, HeadwaterError } from '../src';
import { json } from './support/answers';
import { startServer } from './support/api-server';
import type { ApiServer, ServerOptions } from './support/api-server';
import { createIdentity } from './support/certificates';
import { jobsAt, tokenLogin } from './support/configurations';

describe('language 2.6: certificates of a run', () => {
  let server: ApiServer | undefined;
  afterEach(() => server?.close());

  const start = async (options: ServerOptions): Promise<string> => {
    server = await startServer({ '/login': json({ token: 't' }), '/items': json([1, 2]) }, options);
    return server.origin;
  };
  const itemsOf = (origin: string, api: object): Promise<unknown[]> => {
    const once = { retryConfig: { maxRetries: 0 } };
    return lastValueFrom(
      extract(jobsAt(origin, ['items'], { ...tokenLogin(), ...once, ...api })).items$.pipe(toArray()),
    );
  };
  const failureOf = (items: Promise<unknown>): Promise<HeadwaterError> =>
    items.then(
      () => Promise.reject(new Error('The run did not fail.')),
      (error: unknown) => error as HeadwaterError,
    );

  it('api.caCertificate makes a server trusted that signed its own certificate, for login and pages', async () => {
    const identity = createIdentity({});
    const origin = await start({ identity });
    expect(await itemsOf(origin, { caCertificate: identity.certificate })).toEqual([1, 2]);
    expect(server?.requests.map(({ url }) => url)).toEqual(['/login', '/items']);
  });

  it('without it the run fails, and the message names the setting', async () => {
    const origin = await start({ identity: createIdentity({}) });
    const failure = await failureOf(itemsOf(origin, {}));
    expect(failure).toBeInstanceOf(HeadwaterError);
    expect(failure.code).toBe('NETWORK_CERTIFICATE');
    expect(failure.message).toContain(
      `Cannot connect securely to ${new URL(origin).host} (GET ${origin}/login): the certificate of the server is not trusted.`,
    );
    expect(failure.message).toContain('api.caCertificate');
    expect(server?.requests).toEqual([]);
  });

  it('api.caCertificate replaces the trust store: another issuer is not enough', async () => {
    const origin = await start({ identity: createIdentity({}) });
    const { certificate } = createIdentity({});
    expect(await failureOf(itemsOf(origin, { caCertificate: certificate }))).toMatchObject({
      code: 'NETWORK_CERTIFICATE',
    });
  });

  describe('a server that asks for a client certificate', () => {
    const setUp = async () => {
      const issuer = createIdentity({ name: 'Example issuer' });
      const client = createIdentity({ name: 'client', issuer });
      const identity = createIdentity({ issuer });
      const origin = await start({ identity, clientIssuer: issuer.certificate });
      return { origin, client, caCertificate: issuer.certificate };
    };

    it('lets in api.#clientCertificate: certificate and key in one text', async () => {
      const { origin, client, caCertificate } = await setUp();
      const clientCertificate = `${client.certificate}\n${client.key}`;
      expect(await itemsOf(origin, { caCertificate, '#clientCertificate': clientCertificate })).toEqual([1, 2]);
    });

    it('refuses a run without one', async () => {
      const { origin, caCertificate } = await setUp();
      const failure = await failureOf(itemsOf(origin, { caCertificate }));
      // Whether its reason or the end of the connection arrives first is up to the system.
      expect(failure.code).toMatch(/^NETWORK_(TLS|EMPTY|RESET)$/);
      expect(failure.message).toMatch(
        /^(Cannot connect securely to|The connection to) localhost:\d+ (broke )?\(GET https:/,
      );
      expect(server?.requests).toEqual([]);
    });

    it('refuses the certificate of another issuer, and no message shows the key', async () => {
      const { origin, caCertificate } = await setUp();
      const stranger = createIdentity({ name: 'stranger' });
      const clientCertificate = `${stranger.certificate}\n${stranger.key}`;
      const failure = await failureOf(itemsOf(origin, { caCertificate, '#clientCertificate': clientCertificate }));
      expect(failure.code).toMatch(/^NETWORK_(TLS|EMPTY|RESET)$/);
      const [, keyLine = ''] = stranger.key.split('\n');
      expect(keyLine.length).toBeGreaterThan(20);
      expect(`${failure.message}\n${failure.stack ?? ''}`).not.toContain(keyLine);
    });
  });
});
