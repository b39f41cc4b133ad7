import { configuration, faults, run, warnings } from '../../language/configuration/support';

const withExpires = (expires: unknown) =>
  configuration({ authentication: { type: 'login', loginRequest: { endpoint: 'login' }, expires } });
const expiresOf = (expires: unknown) => {
  const options = run(withExpires(expires)).api.authentication?.options ?? {};
  return 'expires' in options ? options.expires : undefined;
};

describe('api.authentication.expires', () => {
  it.each([undefined, null, false, ''])('specification 5 rule 3, language 4.5.5: %j never renews', (expires) => {
    expect(expiresOf(expires)).toEqual({ kind: 'never' });
  });

  it.each([
    [3600, 3600],
    ['3600', 3600],
    ['3600.0', 3600],
  ])('specification 5 rule 4: %j renews after that many seconds', (expires, seconds) => {
    expect(expiresOf(expires)).toEqual({ kind: 'after', seconds });
  });

  it.each([0, '0', -1, '-30', 0n])(
    'specification 5 rule 5, language 4.5.5: %s logs in before every request',
    (expires) => {
      expect(expiresOf(expires)).toEqual({ kind: 'each-request' });
    },
  );

  it('specification 5 rule 6: an object names a place in the login response', () => {
    expect(expiresOf({ response: 'expires_at' })).toEqual({ kind: 'response', path: 'expires_at', relative: false });
    expect(expiresOf({ response: 'a.b', relative: true })).toEqual({ kind: 'response', path: 'a.b', relative: true });
  });

  it('may stand in a header, in a token, and count milliseconds', () => {
    expect(expiresOf({ responseHeader: 'X-Expires', relative: true, unit: 'ms', margin: 5 })).toEqual({
      kind: 'response',
      path: { responseHeader: 'X-Expires' },
      relative: true,
      unit: 'ms',
      margin: 5,
    });
    expect(expiresOf({ jwt: 'access_token', margin: 5 })).toEqual({ kind: 'jwt', path: 'access_token', margin: 5 });
    expect(expiresOf({ jwt: { responseHeader: 'X-Token' } })).toEqual({
      kind: 'jwt',
      path: { responseHeader: 'X-Token' },
    });
  });

  it('a unit that there is not, and a token without a place, are refused', () => {
    expect(faults(withExpires({ response: 'ttl', unit: 'minutes' }))).toEqual([
      'api.authentication.expires.unit: expected one of s, ms, found a string of 7 characters',
    ]);
    expect(faults(withExpires({ jwt: '' }))).toEqual([
      'api.authentication.expires.jwt: required: the place of the token in the login response',
    ]);
  });

  it('keys of another form have no effect, with a warning', () => {
    expect(warnings(withExpires({ jwt: 'token', relative: true }))).toEqual([
      expect.stringMatching(/^api\.authentication\.expires\.relative: has no effect/),
    ]);
  });

  it('a written number that looks like milliseconds is warned of', () => {
    expect(warnings(withExpires(900_000))).toEqual([
      'api.authentication.expires: counts seconds, and so many are 10.4 days; if milliseconds were meant, write 900',
    ]);
    for (const seconds of [60, 3600, 86_400, 604_800, 2_592_000, 31_536_000])
      expect(warnings(withExpires(seconds))).toEqual([]);
  });

  it.each([true, 'soon', 1.5, [], {}])('language 4.5.1: refuses %j', (expires) => {
    expect(faults(withExpires(expires))[0]).toMatch(
      /^api\.authentication\.expires: expected whole seconds, or an object with "response"/,
    );
  });

  it.each([{ relative: true }, { response: '' }])('language 4.5.1: refuses %j, which names no path', (expires) => {
    expect(faults(withExpires(expires))).toEqual([
      'api.authentication.expires.response: required: the path of the expiry in the login response',
    ]);
  });
});
