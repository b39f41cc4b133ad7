import { claimsOf } from '../../../src/auth/login/jwt';

describe('claimsOf', () => {
  it('reads the example of RFC 7519 section 3.1, without verifying it', () => {
    const header = 'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9';
    const claims = 'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ';
    expect(claimsOf(`${header}.${claims}.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk`)).toEqual({
      iss: 'joe',
      exp: 1300819380,
      'http://example.com/is_root': true,
    });
  });

  it('reads one without a signature', () => {
    expect(claimsOf('eyJhbGciOiJub25lIn0.eyJleHAiOjE3MDAwMDAwMDB9.')).toEqual({ exp: 1700000000 });
  });

  it.each(['', 'opaque', 'a.b.c', 'a.b', 'eyJhbGciOiJub25lIn0.W10.', 'eyJhbGciOiJub25lIn0.eyJ.', 'x.y.z.u.v'])(
    '%j is none',
    (token) => expect(claimsOf(token)).toBeUndefined(),
  );
});
