import { logInByDevice } from '../../../src/auth/oauth2/interactive';
import { decodeLogin } from '../../../src/http/body/decode';
import type { Request, TimedResponse } from '../../../src/core/model';
import { Secrets } from '../../../src/core/secrets/secrets';

const REQUEST: Request = {
  method: 'POST',
  url: 'https://id.example/device',
  headers: {},
  purpose: { kind: 'login' },
  home: 'https://id.example/',
  provenance: 'configured',
  receivedNames: [],
};
const answer = (data: object, status = 200): TimedResponse => ({
  request: REQUEST,
  status,
  headers: {},
  body: Buffer.from(JSON.stringify(data)),
  sentAt: 0,
});
const STARTED = {
  device_code: 'd3vice',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://id.example/go',
  expires_in: 60,
  interval: 2,
};
const error = (code: string, status = 400) => answer({ error: code, error_description: 'because of d3vice' }, status);

/** A login whose token endpoint gives these answers: how long it waited, and what it told. */
async function play(answers: readonly TimedResponse[], started: object = STARTED) {
  const secrets = new Secrets();
  const waits: number[] = [];
  const reported: string[] = [];
  const left = [...answers];
  const requests = {
    start: () => Promise.resolve(answer(started)),
    token: () => Promise.resolve(left.shift() ?? error('authorization_pending')),
  };
  const runtime = {
    decode: decodeLogin(secrets),
    secrets,
    print: (text: string) => void reported.push(text),
    wait: (milliseconds: number) => Promise.resolve(void waits.push(milliseconds)),
  };
  const outcome = await logInByDevice(requests, runtime).then(
    ({ body }) => Buffer.from(body).toString(),
    (failure: unknown) => String(failure),
  );
  return { outcome, waits, reported };
}

describe('a login on another device', () => {
  const tokens = answer({ access_token: 'a', refresh_token: 'r' });

  it('tells address and code, and asks in the interval of the server, more slowly when it asks for that', async () => {
    const { outcome, waits, reported } = await play([
      error('authorization_pending'),
      error('slow_down'),
      error('authorization_pending', 200),
      tokens,
    ]);
    expect(outcome).toBe('{"access_token":"a","refresh_token":"r"}');
    expect(waits).toEqual([2000, 2000, 7000, 7000]);
    expect(reported).toEqual(['To log in, open https://id.example/go in any browser, and enter the code WDJB-MJHT']);
  });

  it('waits five seconds where the server says nothing, and knows the address with the code in it', async () => {
    const { waits, reported } = await play([tokens], {
      device_code: 'd',
      user_code: 'u',
      verification_url: 'https://id.example/go',
      verification_uri_complete: 'https://id.example/go?c=u\u001b[2J',
    });
    expect(waits).toEqual([5000]);
    expect(reported[1]).toBe('The same with the code in it: https://id.example/go?c=u [2J');
  });

  it.each([
    ['expired_token', 'The code has expired'],
    ['access_denied', 'Access was denied'],
    ['invalid_client', 'The server refuses the login: invalid_client: because of ***.'],
  ])('%s ends it, without the code of the device in the message', async (code, message) => {
    const { outcome, waits } = await play([error(code)]);
    expect(outcome).toContain(message);
    expect(outcome).not.toContain('d3vice');
    expect(waits).toHaveLength(1);
  });

  it('ends by itself when the code is over', async () => {
    const { outcome, waits } = await play([]);
    expect(outcome).toContain('The code has expired');
    expect(waits).toHaveLength(30);
  });

  it('a response without codes, or with an error, is an error', async () => {
    expect((await play([], { user_code: 'u' })).outcome).toContain('no device_code, user_code or verification_uri');
    expect((await play([], { error: 'invalid_scope' })).outcome).toContain('invalid_scope');
  });
});
