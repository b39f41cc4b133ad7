import { configuration, faults, run, warnings } from '../../language/configuration/support';

const withLogin = (changes: object) =>
  configuration({ authentication: { type: 'login', loginRequest: { endpoint: 'login' }, ...changes } });

describe('api.authentication.persist (docs/extensions/kept-credentials.md)', () => {
  it('gives names to paths in the login response', () => {
    const persist = { token: { response: 'data.token' }, other: 'other' };
    expect(run(withLogin({ persist })).api.authentication).toMatchObject({
      options: { persist: { token: 'data.token', other: 'other' } },
    });
    expect(warnings(withLogin({ persist }))).toEqual([]);
    expect(run(withLogin({ persist: {} })).api.authentication?.options).not.toHaveProperty('persist');
  });

  it('may keep a header', () => {
    const persist = { token: { responseHeader: 'X-Refresh' } };
    expect(run(withLogin({ persist })).api.authentication).toMatchObject({ options: { persist } });
    expect(warnings(withLogin({ persist }))).toEqual([]);
  });

  it.each([
    [{ a: 5 }, 'api.authentication.persist.a: expected {"response": a path in the login response}, found 5'],
    [{ a: {} }, 'api.authentication.persist.a.response: required: a path in the login response'],
    [
      { '#a': 'x' },
      'api.authentication.persist.#a: write the name without "#": what is kept of a login is always a secret',
    ],
    ['token', 'api.authentication.persist: expected an object, found a string of 5 characters'],
  ])('%j is refused', (persist, fault) => {
    expect(faults(withLogin({ persist }))).toEqual([fault]);
  });

  it('belongs to logins', () => {
    const authentication = { type: 'query', query: { a: 1 }, persist: { a: 'b' } };
    expect(warnings(configuration({ authentication }))).toEqual([
      'api.authentication.persist: has no effect with type query: it is an option of login and oauth20.login',
    ]);
  });
});
