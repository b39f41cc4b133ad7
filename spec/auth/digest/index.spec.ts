/** Against a server that verifies what it gets by itself. */
import { createHash } from 'node:crypto';
import { json } from '../../support/answers';
import type { Answer } from '../../support/answers';
import type { ReceivedRequest } from '../../support/api-server';
import { useRunner } from '../support';

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
const config = { username: 'reader', '#password': 'tr0ut' };
const authentication = { type: 'digest' };

/** Each nonce is good for some requests, in the order of their counts. */
function digestServer(uses: number): (request: ReceivedRequest) => Answer {
  let issued = 0;
  let count = 0;
  const challenge = (stale: boolean): Answer => {
    issued += 1;
    count = 0;
    const nonce = `nonce-${issued}`;
    const value = `Digest realm="rivers", nonce="${nonce}", qop="auth", algorithm=SHA-256${stale ? ', stale=true' : ''}`;
    return json({ error: 'prove it' }, 401, { 'www-authenticate': value });
  };
  return ({ method, url, headers }) => {
    const pairs = (headers.authorization ?? '').matchAll(/(\w+)="?([^",]*)"?/g);
    const given = new Map([...pairs].map(([, name = '', value = '']) => [name, value]));
    if (given.get('nonce') !== `nonce-${issued}`) return challenge(headers.authorization !== undefined);
    if (count === uses) return challenge(true);
    count += 1;
    const nc = count.toString(16).padStart(8, '0');
    const key = sha(`reader:rivers:tr0ut`);
    const expected = sha(`${key}:nonce-${issued}:${nc}:${given.get('cnonce')}:auth:${sha(`${method}:${url}`)}`);
    const isRight = given.get('response') === expected && given.get('nc') === nc && given.get('uri') === url;
    const offset = Number(new URLSearchParams(url.split('?')[1]).get('offset'));
    return isRight ? json(offset < 4 ? [offset, offset + 1] : []) : json({ error: 'wrong' }, 403);
  };
}

describe('digest authentication', () => {
  const { run, failure, server } = useRunner();
  const api = { pagination: { method: 'offset', limit: 2 } };

  it('answers one challenge with a count for each request', async () => {
    const { requests } = await run({ authentication, config, api }, digestServer(100));
    expect(requests.map(({ headers }) => /nc=(\d+)/.exec(headers.authorization ?? '')?.[1])).toEqual([
      undefined,
      '00000001',
      '00000002',
      '00000003',
    ]);
    expect(requests[1]?.headers.authorization).not.toContain('tr0ut');
  });

  it('answers a new challenge when a nonce is stale', async () => {
    const { requests } = await run({ authentication, config, api }, digestServer(1));
    expect(requests.map(({ headers }) => /nonce-\d+/.exec(headers.authorization ?? '')?.[0])).toEqual([
      undefined,
      'nonce-1',
      'nonce-1',
      'nonce-2',
      'nonce-2',
      'nonce-3',
    ]);
  });

  it('a wrong password is an error after one repetition', async () => {
    const answer = () => json({ error: 'no' }, 401, { 'www-authenticate': 'Digest realm="r", nonce="n", qop="auth"' });
    expect(await failure({ authentication, config }, answer)).toMatch(/\[401\]/);
    expect(server().requests).toHaveLength(2);
  });

  it('a challenge that cannot be answered is said', async () => {
    const answer = () => json({ error: 'no' }, 401, { 'www-authenticate': 'Basic realm="r"' });
    expect(await failure({ authentication, config }, answer)).toMatch(
      /api\.authentication: \[401\] GET .*\/items: the response has no digest challenge that can be answered/,
    );
    expect(server().requests).toHaveLength(1);
  });
});
