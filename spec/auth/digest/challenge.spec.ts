import { challengeIn } from '../../../src/auth/digest/challenge';

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
