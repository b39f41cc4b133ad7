import { configuration, faults, run } from '../../config/support';

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
