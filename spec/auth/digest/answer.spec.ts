import { answer } from '../../../src/auth/digest/answer';
import type { Challenge } from '../../../src/auth/digest/challenge';

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
