/** Against a server that verifies what it gets by itself. */
import { createHash } from 'node:crypto';
import { answer, challengeIn } from '../../src/auth/digest';
import type { Challenge } from '../../src/auth/digest';
import { json } from '../support/answers';
import type { Answer } from '../support/answers';
import type { ReceivedRequest } from '../support/api-server';
import { useRunner } from './support';

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

  it('a challenge that cannot be answered is said', async () => {
    const answer = () => json({ error: 'no' }, 401, { 'www-authenticate': 'Basic realm="r"' });
    expect(await failure({ authentication, config }, answer)).toMatch(
      /api\.authentication: \[401\] GET .*\/items: the response has no digest challenge that can be answered/,
    );
    expect(server().requests).toHaveLength(1);
  });
});

describe('challengeIn', () => {
  it('reads a challenge with all that it may hold', () => {
    const header =
      'Digest realm="a, \\"b\\"", domain="/x", qop="auth-int, auth", algorithm=sha-256-sess, nonce="n=,1", ' +
      'stale=true, opaque="o", charset=UTF-8, userhash=true';
    expect(challengeIn([header])).toEqual({
      realm: 'a, "b"',
      nonce: 'n=,1',
      algorithm: 'SHA-256',
      isSession: true,
      spelled: 'sha-256-sess',
      opaque: 'o',
      qop: 'auth',
      userhash: true,
    });
  });

  it('MD5 without qop is what a server means that says nothing', () => {
    expect(challengeIn(['Digest realm="r", nonce="n"'])).toEqual({
      realm: 'r',
      nonce: 'n',
      algorithm: 'MD5',
      isSession: false,
      userhash: false,
    });
  });

  it('takes the strongest of several, in one header or in several', () => {
    const md5 = 'Digest realm="r", nonce="weak", algorithm=MD5, qop="auth"';
    const sha = 'digest realm="r", nonce="strong", algorithm=SHA-256, qop="auth"';
    expect(challengeIn([`Basic realm="b", ${md5}, ${sha}`])?.nonce).toBe('strong');
    expect(challengeIn(['Negotiate', 'Bearer', md5, sha])?.nonce).toBe('strong');
    expect(challengeIn([`Negotiate YWJj==, ${md5}`])?.nonce).toBe('weak');
  });

  it.each([
    [[]],
    [['']],
    [['Basic realm="r"']],
    [['Digest realm="r"']],
    [['Digest realm="r", nonce="n", algorithm=SHA-512-256']],
    [['Digest realm="r", nonce="n", qop="auth-int"']],
    [['=,=,"']],
  ])('%j has none', (headers) => {
    expect(challengeIn(headers)).toBeUndefined();
  });
});

const CHALLENGE: Challenge = {
  realm: 'http-auth@example.org',
  nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
  algorithm: 'MD5',
  isSession: false,
  spelled: 'MD5',
  opaque: 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS',
  qop: 'auth',
  userhash: false,
};
const ASKED = {
  username: 'Mufasa',
  password: 'Circle of Life',
  method: 'GET',
  uri: '/dir/index.html',
  count: 1,
  cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
};

describe('answer', () => {
  it('RFC 7616 section 3.9.1: MD5 and SHA-256', () => {
    expect(answer(CHALLENGE, ASKED).header).toBe(
      'Digest username="Mufasa", realm="http-auth@example.org", ' +
        'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", uri="/dir/index.html", algorithm=MD5, qop=auth, ' +
        'nc=00000001, cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", ' +
        'response="8ca523f5e9506fed4657c9700eebdbec", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"',
    );
    expect(answer({ ...CHALLENGE, algorithm: 'SHA-256' }, ASKED).response).toBe(
      '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
    );
  });

  it('RFC 2617 section 3.5, and RFC 2069 without qop', () => {
    const old = { algorithm: 'MD5', isSession: false, userhash: false } as const;
    const challenge = { ...old, realm: 'testrealm@host.com', nonce: 'dcd98b7102dd2f0e8b11d0f600bfb0c093' };
    const asked = { ...ASKED, password: 'Circle Of Life', cnonce: '0a4f113b' };
    expect(answer({ ...challenge, qop: 'auth' }, asked).response).toBe('6629fae49393a05397450978507c4ef1');
    const { header, response } = answer(challenge, asked);
    expect(response).toBe('670fd8c2df070c60b045671b8b24ff02');
    expect(header).not.toMatch(/nc=|cnonce=|qop=|algorithm=|opaque=/);
  });

  it('the key of a session has both nonces in it', () => {
    const { header, response } = answer(
      { ...CHALLENGE, isSession: true, spelled: 'MD5-sess' },
      { ...ASKED, count: 17 },
    );
    expect(response).toBe('99ee4b7b3066384c9e50d596fbf629f0');
    expect(header).toContain('algorithm=MD5-sess, qop=auth, nc=00000011,');
  });

  it('a name is quoted, encoded or hashed', () => {
    const named = (username: string, userhash = false) =>
      /^Digest (.*?), realm=/.exec(answer({ ...CHALLENGE, userhash }, { ...ASKED, username }).header)?.[1];
    expect(named('a"b\\c')).toBe('username="a\\"b\\\\c"');
    expect(named('Jäsøn Doe')).toBe("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe");
    expect(named('Mufasa', true)).toMatch(/^username="[0-9a-f]{32}", userhash=true$/);
  });
});
