import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { firstValueFrom } from 'rxjs';
import { FatalError, RetryableError } from '../../../src/core/errors/errors';
import { realPause, createSshTunnel } from '../../../src/http/transport/ssh-tunnel';
import type { Pause, SshServer, SshTunnel, Target } from '../../../src/http/transport/ssh-tunnel';
import { createTransport } from '../../support/transport';
import type { Transport, TransportOptions } from '../../support/transport';
import type { Response } from '../../../src/core/model';
import * as answers from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, Handler, Routes, ServerOptions } from '../../support/api-server';
import { createIdentity } from '../../support/certificates';
import { ownPort } from '../../support/own-port';
import { aRequest, secretsOf } from '../../support/requests';
import { privateKey, startSshServer } from '../../support/ssh-server';
import type { RunningSshServer, SshServerOptions } from '../../support/ssh-server';

/** A name that only the far end of the tunnel resolves. */
const NAME = 'api.internal';

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function apiFor(
  routes: Handler | Routes,
  options?: ServerOptions,
): Promise<ApiServer & { readonly inside: string }> {
  const api = await startServer(routes, options);
  closing.push(api.close);
  return { ...api, inside: api.origin.replace('localhost', NAME) };
}

async function gateFor(options: SshServerOptions = {}): Promise<RunningSshServer> {
  const gate = await startSshServer({ names: [NAME], ...options });
  closing.push(gate.close);
  return gate;
}

function tunnelTo(login: SshServer, pause: Pause = () => Promise.resolve()): SshTunnel {
  const tunnel = createSshTunnel(login, pause);
  closing.push(tunnel.close);
  return tunnel;
}

function transportBy(tunnel: SshTunnel, options: Partial<TransportOptions> = {}): Transport {
  const transport = createTransport({
    userAgent: 'headwater/1.2.3',
    requestTimeoutMs: 0,
    report: () => undefined,
    secrets: secretsOf(),
    tunnel,
    ...options,
  });
  closing.push(transport.close);
  return transport;
}

function targetOf(url: string): Target {
  const { hostname: host, port } = new URL(url);
  return { host, port: Number(port), timeoutMs: 5000 };
}

const textOf = ({ body }: Response): string => Buffer.from(body).toString();
const fetched = async ({ send }: Transport, url: string): Promise<string> =>
  textOf(await firstValueFrom(send(aRequest({ url }))));
const failureOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => Promise.reject(new Error('It did not fail.')),
    (error: unknown) => error as Error,
  );

describe('language 1.7: requests through the tunnel', () => {
  it('opens it with the first request and keeps it; names are resolved at its far end', async () => {
    const api = await apiFor({ '/a': answers.json([1]), '/b': answers.json([2]) });
    const gate = await gateFor();
    const tunnel = tunnelTo(gate.login);
    const first = transportBy(tunnel);
    const second = transportBy(tunnel);
    await new Promise(setImmediate);
    expect(gate.connections()).toBe(0);

    expect(await fetched(first, `${api.inside}/a`)).toBe('[1]');
    expect(await fetched(first, `${api.inside}/b`)).toBe('[2]');
    await first.close();
    expect(await fetched(second, `${api.inside}/b`)).toBe('[2]');

    expect(gate.connections()).toBe(1);
    const place = new URL(api.inside).host;
    expect(new Set(gate.forwarded)).toEqual(new Set([place]));
    expect(api.requests[0]?.headers.host).toBe(place);
  });

  it('opens one tunnel for requests at once', async () => {
    const api = await apiFor({ '/': answers.json([]) });
    const gate = await gateFor();
    const transport = transportBy(tunnelTo(gate.login));
    const texts = await Promise.all(Array.from({ length: 20 }, () => fetched(transport, `${api.inside}/`)));
    expect(texts).toEqual(Array.from({ length: 20 }, () => '[]'));
    expect(gate.connections()).toBe(1);
    expect(gate.forwarded.length).toBeGreaterThan(10);
  });

  it('carries long bodies both ways', async () => {
    const long = 'x'.repeat(5_000_000);
    const api = await apiFor(({ body }) => answers.bytes(body));
    const gate = await gateFor();
    const { send } = transportBy(tunnelTo(gate.login));
    const response = await firstValueFrom(send(aRequest({ method: 'POST', url: api.inside, body: long })));
    expect(textOf(response) === long).toBe(true);
  });

  it('language 2.6: https is checked against the API, with the CA and the client certificate of the run', async () => {
    const issuer = createIdentity({ name: 'Example issuer' });
    const identity = createIdentity({ name: NAME, issuer });
    const client = createIdentity({ name: 'client', issuer });
    const api = await apiFor({ '/': answers.json(['safe']) }, { identity, clientIssuer: issuer.certificate });
    const gate = await gateFor();
    const tunnel = tunnelTo(gate.login);
    const known = { clientCertificate: `${client.certificate}\n${client.key}` };
    const trusting = transportBy(tunnel, { ...known, caCertificate: issuer.certificate });
    expect(await fetched(trusting, api.inside)).toBe('["safe"]');
    expect(gate.forwarded).toEqual([new URL(api.inside).host]);

    const strict = transportBy(tunnel, known);
    expect(await failureOf(fetched(strict, api.inside))).toMatchObject({ code: 'NETWORK_CERTIFICATE', curlCode: 60 });
    const broken = transportBy(tunnel, { clientCertificate: client.certificate.replace('-----END', '-----') });
    expect(await failureOf(fetched(broken, api.inside))).toMatchObject({ code: 'NETWORK_PROTOCOL' });
    const stranger = transportBy(tunnel, { caCertificate: issuer.certificate });
    expect(await failureOf(fetched(stranger, api.inside))).toMatchObject({
      code: expect.stringMatching(/^NETWORK_(TLS|EMPTY|RESET)$/) as string,
    });
  });

  it.each(['http', 'https'])('cancelling a request over %s closes its connection, not the tunnel', async (scheme) => {
    const issuer = createIdentity({ name: 'Example issuer' });
    const secure = scheme === 'https' ? { identity: createIdentity({ name: NAME, issuer }) } : {};
    const api = await apiFor({ '/slow': answers.stalled('['), '/': answers.json([]) }, secure);
    const gate = await gateFor();
    const transport = transportBy(tunnelTo(gate.login), { caCertificate: issuer.certificate });
    const subscription = transport.send(aRequest({ url: `${api.inside}/slow` })).subscribe();
    const slow = await api.received(0);
    subscription.unsubscribe();
    await slow.disconnected;

    expect(await fetched(transport, `${api.inside}/`)).toBe('[]');
    expect(gate.connections()).toBe(1);
  });
});

describe('language 1.7: a tunnel that dies', () => {
  it('is opened again for the next request', async () => {
    const api = await apiFor({ '/': answers.json([]) });
    const gate = await gateFor();
    const tunnel = tunnelTo(gate.login);
    const transport = transportBy(tunnel);
    await fetched(transport, api.inside);
    const stream = await tunnel.connect(targetOf(api.inside));
    const cutOff = once(stream, 'close');
    await gate.cut();
    await expect(cutOff).rejects.toMatchObject({ code: 'ECONNRESET' });

    expect(await fetched(transport, api.inside)).toBe('[]');
    expect(gate.connections()).toBe(2);
  });

  it('breaks what was under way: half a response must not look like a whole one', async () => {
    const api = await apiFor({ '/': answers.stalled('[1') });
    const gate = await gateFor();
    const stream = await tunnelTo(gate.login).connect(targetOf(api.inside));
    stream.write('GET / HTTP/1.0\r\n\r\n');
    await once(stream, 'data');
    const ended = once(stream, 'end');
    await gate.cut();
    await expect(ended).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it.each(['http', 'https'])('language 2.7: a request over %s that was under way may be retried', async (scheme) => {
    const issuer = createIdentity({ name: 'Example issuer' });
    const secure = scheme === 'https' ? { identity: createIdentity({ name: NAME, issuer }) } : {};
    const api = await apiFor(() => () => void gate.cut(), secure);
    const gate = await gateFor();
    const transport = transportBy(tunnelTo(gate.login), { caCertificate: issuer.certificate });
    const failure = await failureOf(fetched(transport, api.inside));
    expect(failure).toBeInstanceOf(RetryableError);
    expect((failure as RetryableError).code).toMatch(/^NETWORK_(RESET|EMPTY)$/);
  });

  it('is opened again when its death was not noticed yet', async () => {
    const api = await apiFor({ '/': answers.json([]) });
    const gate = await gateFor();
    const tunnel = tunnelTo(gate.login);
    const target = targetOf(api.inside);
    (await tunnel.connect(target)).destroy();
    const cut = gate.cut();
    // The client has not heard of it: it hears events later than this code goes on.
    const stream = await tunnel.connect(target);
    await cut;
    expect(gate.connections()).toBe(2);
    stream.destroy();
  });
});

describe('language 1.7: a tunnel that cannot be opened', () => {
  it('fails after 5 attempts with growing pauses', async () => {
    const gate = await gateFor({ welcomes: false });
    const pauses: number[] = [];
    const transport = transportBy(
      tunnelTo(gate.login, (milliseconds) => {
        pauses.push(milliseconds);
        return Promise.resolve();
      }),
    );
    const failure = await failureOf(fetched(transport, `http://${NAME}/`));
    expect(failure).toBeInstanceOf(FatalError);
    expect(failure).toMatchObject({ code: 'SSH_TUNNEL' });
    expect(failure.message).toBe(
      `Unable to create ssh tunnel. extractor@127.0.0.1:${gate.login.port}: 5 attempts failed, the last: ` +
        'All configured authentication methods failed. Check sshProxy.',
    );
    expect(pauses).toEqual([1000, 2000, 4000, 8000]);
    expect(gate.connections()).toBe(5);
  });

  it('names every address that refused', async () => {
    const tunnel = tunnelTo({ host: 'localhost', port: await ownPort(), user: 'me', privateKey: privateKey() });
    const failure = await failureOf(tunnel.connect({ host: NAME, port: 80, timeoutMs: 0 }));
    expect(failure.message).toContain('connect ECONNREFUSED 127.0.0.1');
  });

  it('tries again for the next request', async () => {
    const api = await apiFor({ '/': answers.json([]) });
    const gate = await gateFor();
    let failing = 5;
    const port = await forwarderTo(gate.login.port, () => (failing -= 1) >= 0);
    const transport = transportBy(tunnelTo({ ...gate.login, port }));
    expect(await failureOf(fetched(transport, api.inside))).toMatchObject({ code: 'SSH_TUNNEL' });
    expect(await fetched(transport, api.inside)).toBe('[]');
  });

  it('fails at once for a key that cannot be read, and does not show it', async () => {
    const gate = await gateFor();
    const tunnel = tunnelTo({ ...gate.login, privateKey: 'hunter2-no-key' });
    const failure = await failureOf(tunnel.connect({ host: NAME, port: 80, timeoutMs: 0 }));
    expect(failure).toMatchObject({ code: 'SSH_TUNNEL' });
    expect(failure.message).toMatch(/The private key cannot be used: .*\. Check sshProxy\.$/);
    expect(failure.message).not.toContain('hunter2');
    expect(gate.connections()).toBe(0);
  });

  it('language 1.4: a key with a passphrase is refused with the reason', async () => {
    const gate = await gateFor();
    const tunnel = tunnelTo({ ...gate.login, privateKey: privateKey('passphrase') });
    const failure = await failureOf(tunnel.connect({ host: NAME, port: 80, timeoutMs: 0 }));
    expect(failure.message).toContain('no passphrase given');
  });
});

describe('language 1.7, 2.7: targets that the tunnel does not reach', () => {
  it('a host that refuses is a network failure', async () => {
    const gate = await gateFor();
    const api = await apiFor({});
    await api.close();
    closing.splice(closing.indexOf(api.close), 1);
    const failure = await failureOf(fetched(transportBy(tunnelTo(gate.login)), api.inside));
    expect(failure).toMatchObject({ code: 'NETWORK_CONNECT', curlCode: 7 });
    expect(gate.connections()).toBe(1);
  });

  it('language 2.6: the connect time-out covers the way to the host', async () => {
    const gate = await gateFor({ silent: [NAME] });
    const transport = transportBy(tunnelTo(gate.login), { connectTimeoutMs: 20 });
    const failure = await failureOf(fetched(transport, `http://${NAME}/`));
    expect(failure).toMatchObject({ code: 'NETWORK_TIMEOUT', curlCode: 28 });
  });

  it('a proxy that must not forward ends the run', async () => {
    const gate = await gateFor({ forwards: false });
    const failure = await failureOf(fetched(transportBy(tunnelTo(gate.login)), `https://${NAME}/`));
    expect(failure).toMatchObject({ code: 'SSH_TUNNEL', recovery: 'fatal' });
    expect(failure.message).toContain(`does not allow connections to ${NAME}:443`);
  });
});

describe('language 1.7: the end of the tunnel', () => {
  it('closes the connection; a later request fails', async () => {
    const api = await apiFor({ '/': answers.json([]) });
    const gate = await gateFor();
    const tunnel = tunnelTo(gate.login);
    const transport = transportBy(tunnel);
    await fetched(transport, api.inside);
    const [request] = api.requests;
    tunnel.close();
    await request?.disconnected;
    expect(gate.openChannels()).toBe(0);
    expect(await failureOf(fetched(transport, api.inside))).toBeInstanceOf(FatalError);
    expect(gate.connections()).toBe(1);
  });

  it('ends the pause between attempts', async () => {
    const gate = await gateFor({ welcomes: false });
    let paused: () => void;
    const pausing = new Promise<void>((resolve) => (paused = resolve));
    const tunnel = tunnelTo(gate.login, (milliseconds, signal) => {
      paused();
      return realPause(milliseconds * 1000, signal);
    });
    const failed = failureOf(tunnel.connect({ host: NAME, port: 80, timeoutMs: 0 }));
    await pausing;
    tunnel.close();
    expect(await failed).toMatchObject({ name: 'AbortError' });
    expect(gate.connections()).toBe(1);
  });
});

/** A port that leads to another, unless it hangs up. */
async function forwarderTo(port: number, hangsUp: () => boolean): Promise<number> {
  const { connect } = await import('node:net');
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (hangsUp()) socket.destroy();
    else socket.pipe(connect(port, '127.0.0.1').on('error', () => undefined)).pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.unshift(() => void server.close());
  return (server.address() as AddressInfo).port;
}
