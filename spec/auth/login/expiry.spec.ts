import {
  claimsOf,
  expiryOf as expiryIn,
  isUnixMilliseconds,
  looksLikeMilliseconds,
} from '../../../src/auth/login/expiry';
import type { Expires } from '../../../src/auth/login/expiry';
import type { Headers, JsonObject } from '../../../src/core/model';
import { configuration, faults, run, warnings } from '../../language/configuration/support';

const NOW = Date.UTC(2021, 5, 16, 9, 30, 15, 250);
const SECOND = Math.floor(NOW / 1000);
const absolute: Expires = { kind: 'response', path: 'token.ends', relative: false };
const relative: Expires = { ...absolute, relative: true };
const content = (ends: unknown) => ({ token: { ends: ends as never } });

const expiry = (expires: Expires, content: JsonObject, sentAt: number, early: boolean, headers: Headers = {}) =>
  expiryIn(expires, { content, headers }, sentAt, early);

/** Without a margin, as the language has it. */
const expiryOf = (expires: Expires, given: JsonObject, sentAt: number, headers: Headers = {}) =>
  expiry(expires, given, sentAt, false, headers);

describe('expiryOf (language 4.5.5)', () => {
  it('specification 5 rule 3: without expires they live as long as the run', () => {
    expect(expiryOf({ kind: 'never' }, {}, NOW)).toEqual({});
  });

  it('specification 5 rule 4: N seconds after the login', () => {
    expect(expiryOf({ kind: 'after', seconds: 60 }, {}, NOW)).toEqual({ expiresAt: NOW + 60_000 });
  });

  it.each<[string, unknown, number]>([
    ['text of the shape YYYY-MM-DD HH:MM:SS', '2021-06-16 10:00:00', Date.UTC(2021, 5, 16, 10)],
    ['ISO 8601 with an offset', '2021-06-16T12:00:00+02:00', Date.UTC(2021, 5, 16, 10)],
    ['relative text', '+1 hour', (SECOND + 3600) * 1000],
    ['a timestamp', SECOND + 5, (SECOND + 5) * 1000],
    ['a timestamp as text', String(SECOND + 5), (SECOND + 5) * 1000],
  ])('specification 5 rule 6: %s', (_, value, expiresAt) => {
    expect(expiryOf(absolute, content(value), NOW)).toEqual({ expiresAt });
  });

  it.each<[string, unknown]>([
    ['a number of seconds', 90],
    ['seconds as text', '90'],
  ])('specification 5 rule 6, relative: %s', (_, value) => {
    expect(expiryOf(relative, content(value), NOW)).toEqual({ expiresAt: NOW + 90_000 });
  });

  it.each<[string, unknown]>([
    ['missing', undefined],
    ['null', null],
  ])('a value that is %s means no expiry', (_, value) => {
    expect(expiryOf(absolute, value === undefined ? {} : content(value), NOW)).toEqual({});
  });

  it('a moment before now is told as it was given', () => {
    expect(expiryOf(absolute, content('2021-06-16 09:00:00'), NOW)).toEqual({
      expiresAt: Date.UTC(2021, 5, 16, 9),
      past: '2021-06-16 09:00:00',
    });
  });

  it('this very second is no moment before now', () => {
    const { expiresAt, past } = expiryOf(absolute, content('-0 second'), NOW);
    expect(expiresAt).toBe(SECOND * 1000);
    expect(past).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['text that is no date', 'soon'],
    ['an empty text', ''],
    ['a list', [1]],
    ['a boolean', true],
  ])('fails for %s, and says what it found where', (_, value) => {
    expect(() => expiryOf(absolute, content(value), NOW)).toThrow(
      /^api\.authentication\.expires\.response: expected a Unix timestamp or a date at "token\.ends" .* found /,
    );
  });

  it.each<[unknown, string]>([
    ['SeCreTt0ken99', 'another string of length 13'],
    [['SeCreTt0ken99'], 'a value of type array'],
    [{ token: 'SeCreTt0ken99' }, 'a value of type object'],
  ])('language 1.4: does not show %j, which may be the token', (value, found) => {
    for (const expires of [absolute, relative])
      expect(() => expiryOf(expires, content(value), NOW)).toThrow(
        new RegExp(`expected a [^:]* at "token\\.ends" of the login response, found ${found}$`),
      );
  });

  it('fails for relative text that is no number', () => {
    expect(() => expiryOf(relative, content('1 hour'), NOW)).toThrow(/expected a number of seconds/);
  });

  it('a moment beyond all dates is the last one', () => {
    expect(expiryOf(absolute, content(1e30), NOW)).toEqual({ expiresAt: 8.64e15 });
  });
});

describe('the margin of docs/language/authentication.md#renewal', () => {
  const after = (seconds: number, margin?: number): Expires => ({
    kind: 'after',
    seconds,
    ...(margin === undefined ? {} : { margin }),
  });
  const early = (expires: Expires, given: JsonObject = {}): number =>
    (expiry(expires, given, NOW, true).expiresAt ?? 0) - NOW;

  it.each([
    [1, 900],
    [60, 54_000],
    [300, 270_000],
    [3600, 3_570_000],
  ])('of %d seconds takes a tenth, at most 30 seconds', (seconds, left) => {
    expect(early(after(seconds))).toBe(left);
    expect(early(relative, content(seconds))).toBe(left);
    expect(early(absolute, content(NOW / 1000 + seconds))).toBeCloseTo(left, 0);
  });

  it.each([
    [0, 60_000],
    [5, 55_000],
    [45, 30_000],
    [1000, 30_000],
  ])('of %d seconds by configuration takes that, at most half of the lifetime', (margin, left) => {
    expect(early(after(60, margin))).toBe(left);
    expect(early({ ...relative, margin }, content(60))).toBe(left);
    expect(expiryOf(after(60, margin), {}, NOW)).toEqual({ expiresAt: NOW + left });
  });

  it.each([0, -5])('takes nothing of credentials that live %d seconds', (ttl) => {
    expect(early(relative, content(ttl))).toBe(ttl * 1000);
  });

  it('takes its 30 seconds even of credentials that never end', () => {
    expect(expiry(absolute, content(1e30), NOW, true)).toEqual({ expiresAt: 8.64e15 - 30_000 });
  });
});

describe('what a number counts', () => {
  const ms: Expires = { ...relative, unit: 'ms' };

  it('milliseconds, where the configuration says so', () => {
    expect(expiryOf(ms, content(900_000), NOW)).toEqual({ expiresAt: NOW + 900_000 });
    expect(expiryOf(ms, content('1500'), NOW)).toEqual({ expiresAt: NOW + 1500 });
    expect(expiryOf({ ...absolute, unit: 'ms' }, content(NOW + 5), NOW)).toEqual({ expiresAt: NOW + 5 });
    expect(expiryOf({ ...absolute, unit: 'ms' }, content('2021-06-16 10:00:00'), NOW)).toEqual({
      expiresAt: Date.UTC(2021, 5, 16, 10),
    });
    expect(() => expiryOf(ms, content('soon'), NOW)).toThrow(/expected a number of milliseconds at "token\.ends"/);
  });

  it('the margin is in seconds all the same', () => {
    expect(expiryOf({ ...ms, margin: 10 }, content(900_000), NOW)).toEqual({ expiresAt: NOW + 890_000 });
  });

  it('a lifetime or a moment that looks like milliseconds is taken for seconds, with a doubt', () => {
    expect(expiryOf(relative, content(900_000), NOW)).toEqual({
      expiresAt: NOW + 900_000_000,
      doubt: expect.stringMatching(
        /^"token\.ends" .* a lifetime in milliseconds.* Write "unit": "ms" into api\./,
      ) as string,
    });
    expect(expiryOf(absolute, content(NOW + 60_000), NOW).doubt).toMatch(/looks like a Unix time in milliseconds/);
  });

  it.each<[string, Expires, unknown]>([
    ['a lifetime whose unit is written', { ...relative, unit: 's' }, 900_000],
    ['30 days', relative, 2_592_000],
    ['an hour', relative, 3600],
    ['a day', relative, 86_400],
    ['a moment in seconds', absolute, SECOND + 60],
    ['a date', absolute, '2021-06-16 10:00:00'],
  ])('there is no doubt about %s', (_, expires, value) => {
    expect(expiryOf(expires, content(value), NOW)).not.toHaveProperty('doubt');
  });
});

describe('an end in a header', () => {
  it('is read as one in the content, whatever the case of its name', () => {
    const expires: Expires = { ...relative, path: { responseHeader: 'X-Expires-In' } };
    expect(expiryOf(expires, {}, NOW, { 'x-expires-in': '90' })).toEqual({ expiresAt: NOW + 90_000 });
    expect(expiryOf(expires, {}, NOW)).toEqual({});
    expect(() => expiryOf(expires, {}, NOW, { 'x-expires-in': 'soon' })).toThrow(
      'api.authentication.expires.responseHeader: expected a number of seconds at the header "X-Expires-In" of the ' +
        'login response, found another string of length 4',
    );
  });
});

describe('the end that a JSON Web Token tells', () => {
  const jwt: Expires = { kind: 'jwt', path: 'token.ends' };
  const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const tokenWith = (claims: unknown): string => `${encoded({ alg: 'RS256' })}.${encoded(claims)}.c2lnbmF0dXJl`;

  it('is its claim exp', () => {
    expect(expiryOf(jwt, content(tokenWith({ exp: SECOND + 60 })), NOW)).toEqual({ expiresAt: (SECOND + 60) * 1000 });
    expect(expiryOf({ ...jwt, margin: 10 }, content(tokenWith({ exp: SECOND + 60 })), NOW)).toEqual({
      expiresAt: (SECOND + 50) * 1000,
    });
    expect(expiryOf(jwt, content(tokenWith({ exp: SECOND - 60 })), NOW)).toMatchObject({ past: String(SECOND - 60) });
  });

  it('stands in a token of a header as well', () => {
    const expires: Expires = { kind: 'jwt', path: { responseHeader: 'X-Token' } };
    const headers = { 'x-token': tokenWith({ exp: SECOND + 60 }) };
    expect(expiryOf(expires, {}, NOW, headers)).toEqual({ expiresAt: (SECOND + 60) * 1000 });
  });

  it('is never, where the token does not say it', () => {
    expect(expiryOf(jwt, content(tokenWith({ sub: 'me' })), NOW)).toEqual({});
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'nothing'],
    ['an opaque token', 'SeCreTt0ken99', 'another string of length 13'],
    ['two parts', 'YWJj.YWJj', 'another string of length 9'],
    ['claims that are no object', `${encoded({ alg: 'none' })}.${encoded([1])}.`, 'another string of length 25'],
    ['a number', 5, 'a value of type number'],
  ])('%s is no such token, and its text is not shown', (_, value, found) => {
    const given = value === undefined ? {} : content(value);
    expect(() => expiryOf(jwt, given, NOW)).toThrow(
      `api.authentication.expires.jwt: expected a JSON Web Token at "token.ends" of the login response, found ${found}. ` +
        'Name the path of the token, or take the end from elsewhere',
    );
  });

  it('an end that is no number is told', () => {
    expect(() => expiryOf(jwt, content(tokenWith({ exp: 'soon' })), NOW)).toThrow(
      /expected a Unix timestamp as "exp" of the token .* found another string of length 4/,
    );
  });
});

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

describe('looksLikeMilliseconds', () => {
  it.each([60_000, 300_000, 900_000, 3_600_000, 7_200_000, 86_400_000, 604_800_000, 2_592_000_000])(
    '%d does',
    (lifetime) => expect(looksLikeMilliseconds(lifetime)).toBe(true),
  );

  it.each([
    -60_000, 0, 60, 3600, 7200, 36_000, 86_400, 432_000, 604_800, 864_000, 2_592_000, 7_776_000, 31_536_000, 1e15,
    90_001,
  ])('%d does not', (lifetime) => expect(looksLikeMilliseconds(lifetime)).toBe(false));
});

describe('isUnixMilliseconds', () => {
  it.each([
    [1_700_000_000_000, true],
    [1_700_000_000, false],
    [1e30, false],
    [4_102_444_800, false],
  ])('%d: %s', (time, expected) => expect(isUnixMilliseconds(time)).toBe(expected));
});

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
