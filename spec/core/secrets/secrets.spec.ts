import * as fc from 'fast-check';
import { Secrets } from '../../../src/core/secrets/secrets';

const masked = (text: string, ...values: readonly string[]): string => new Secrets(values).mask(text);

describe('language 1.4: a secret is masked wherever it appears', () => {
  const SECRET = 'p@ss w/rd+"é"\\&*(~)\'#?';
  const json = JSON.stringify(SECRET).slice(1, -1);
  const component = encodeURIComponent(SECRET);
  const strict = component.replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const base64 = Buffer.from(SECRET).toString('base64');

  it.each([
    ['as it is', SECRET],
    ['in upper case', SECRET.replace('pass', 'PASS')],
    ['percent-encoded', component],
    ['percent-encoded in lower case', component.toLowerCase()],
    ['percent-encoded by RFC 3986', strict],
    ['in a form', component.replaceAll('%20', '+')],
    ['in a form by RFC 3986', strict.replaceAll('%20', '+')],
    ['in a form of URLSearchParams', new URLSearchParams({ a: SECRET }).toString().slice(2)],
    ['by encodeURI', encodeURI(SECRET)],
    ['in a URL that was put together by hand', new URL(`https://h.example/?${SECRET}`).href.split('/?')[1] ?? ''],
    ['in JSON', json],
    ['in JSON with escaped slashes', json.replaceAll('/', '\\/')],
    ['in JSON of ASCII only', json.replaceAll('é', '\\u00e9')],
    ['in JSON of ASCII only, in upper case', json.replaceAll('é', '\\u00E9')],
    ['in JSON of ASCII with escaped slashes', json.replaceAll('é', '\\u00e9').replaceAll('/', '\\/')],
    ['in base64', base64.replace(/=+$/, '')],
    ['in base64 inside a URL', encodeURIComponent(base64.replace(/=+$/, ''))],
    ['percent-encoded twice', encodeURIComponent(component)],
    ['percent-encoded twice by RFC 3986', encodeURIComponent(strict)],
    ['in JSON text inside JSON', JSON.stringify(json).slice(1, -1)],
    [
      'in JSON of PHP inside JSON of PHP',
      JSON.stringify(json.replaceAll('/', '\\/')).slice(1, -1).replaceAll('/', '\\/'),
    ],
    ['in JSON in a URL', encodeURIComponent(json)],
    ['in JSON in a form', new URLSearchParams({ a: json }).toString().slice(2)],
    ['in JSON inside JSON in a URL', encodeURIComponent(JSON.stringify(json).slice(1, -1))],
    ['in JSON in a URL in a URL', encodeURIComponent(encodeURIComponent(json))],
    ['in JSON in a page', json.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')],
    ['in JSON in base64', Buffer.from(json).toString('base64').replace(/=+$/, '')],
    ['in base64 in JSON of PHP', base64.replace(/=+$/, '').replaceAll('/', '\\/')],
    ['in base64 in JSON of .NET', base64.replace(/=+$/, '').replaceAll('+', '\\u002B')],
    ['in hex', Buffer.from(SECRET).toString('hex')],
    ['in hex of upper case', Buffer.from(SECRET).toString('hex').toUpperCase()],
    ['in base64 for URLs', Buffer.from(SECRET).toString('base64url')],
  ])('%s', (_, form) => {
    expect(masked(`before ${form} after`, SECRET)).toBe('before *** after');
    expect(masked(`x${form}y${form}`, SECRET)).toBe('x***y***');
  });

  it('base64 with padding leaves no more than the padding', () => {
    expect(masked(`Basic ${Buffer.from('user:pass').toString('base64')}`, 'user:pass')).toBe('Basic ***');
    expect(masked(`Basic ${Buffer.from('user:passw').toString('base64')}`, 'user:passw')).toBe('Basic ***==');
  });

  it.each([0, 1, 2])('within JSON that is in base64, at place %i of three', (at) => {
    const secret = 'quo"te\\S3cret9/é';
    const around = Buffer.from(JSON.stringify({ [`a${'b'.repeat(at)}`]: secret, rest: 'of it' }));
    for (const text of [around.toString('base64'), around.toString('base64url')]) {
      const shown = masked(text, secret);
      expect(shown).toContain('***');
      expect(Buffer.from(shown.replace('***', ''), 'base64').toString()).not.toMatch(/te..S3|S3cret/);
      // What is left of it is what stands around it.
      expect(shown.length).toBeLessThan(text.length - secret.length);
    }
  });

  it('in the path of a URL', () => {
    const token = 'a b[c]{d}';
    expect(masked(new URL(`https://h.example/${token}/x`).href, token)).toBe('https://h.example/***/x');
  });

  it.each(['.*+?^${}()|[]\\', '(a+)+$', '[a-z]', 'a|b|c', '\\d+', '$&$1$$', 'a.c.e'])(
    'characters of regular expressions mean themselves: %s',
    (secret) => {
      expect(masked(`x ${secret} y`, secret)).toBe('x *** y');
      expect(masked('abcde 12345 aaaa', secret)).toBe('abcde 12345 aaaa');
    },
  );

  it('every text comes out without the secret, however it was encoded', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 10 });
    const secret = fc
      .string({ unit: 'grapheme', minLength: 4, maxLength: 20 })
      .filter((value) => !value.includes('*') && value.trim().length >= 4);
    const encoders: readonly ((value: string) => string)[] = [
      (value) => value,
      encodeURIComponent,
      encodeURI,
      (value) => JSON.stringify(value),
      (value) => new URLSearchParams({ a: value }).toString(),
      (value) => Buffer.from(value).toString('base64'),
      (value) => Buffer.from(value).toString('base64url'),
    ];
    fc.assert(
      fc.property(text, secret, text, fc.constantFrom(...encoders), (before, value, after, encode) => {
        const result = masked(before + encode(value) + after, value);
        expect(result).toContain('***');
        expect(result).not.toContain(value);
      }),
    );
  });

  it('texts without secrets stay as they are', () => {
    const secrets = new Secrets(['s3cret-one', 's3cret-two']);
    const text = fc.string({ unit: 'binary' }).filter((value) => !/s3cret|:[\\/]*\//.test(value));
    fc.assert(fc.property(text, (value) => secrets.mask(value) === value));
  });

  it('characters whose lower case is longer do not shift the mask', () => {
    expect(masked('İİİ token-1 İ', 'token-1')).toBe('İİİ *** İ');
    expect(masked('ΑΣ1 x', 'ΑΣ1')).toBe('*** x');
    expect(masked('ΑΣΒ', 'ΑΣ__')).toBe('ΑΣΒ');
  });
});

describe('secrets of several lines', () => {
  const key = ['-----BEGIN KEY-----', 'MIIEvQIBADANBgkq', 'hkiG9w0BAQEFAASC', '4Q==', '-----END KEY-----', ''].join(
    '\n',
  );

  it('as a whole, also inside JSON and base64', () => {
    expect(masked(`key: ${key}.`, key)).toBe('key: ***.');
    expect(masked(JSON.stringify({ key }), key)).toBe('{"key":"***"}');
    expect(masked(encodeURIComponent(key), key)).toBe('***');
    expect(masked(`${Buffer.from(key).toString('base64')}|`, key)).toMatch(/^\*\*\*=*\|$/);
  });

  it('line by line', () => {
    expect(masked('> MIIEvQIBADANBgkq <', key)).toBe('> *** <');
    expect(masked('> 4Q== <', key)).toBe('> *** <');
    expect(masked(key.replaceAll('\n', '\r\n'), key)).toBe('***\r\n'.repeat(5));
    expect(masked(key.replaceAll('\n', '\n    '), key)).toBe('***\n    '.repeat(5));
  });

  it('lines of Windows, and spaces around', () => {
    expect(masked('first-line, second-line', 'first-line\r\n  second-line  \r\n')).toBe('***, ***');
    expect(masked('token-1', ' token-1\n')).toBe('***');
  });

  it('a short line alone is no secret', () => {
    expect(masked('a1 and line-two', 'a1\nline-two')).toBe('a1 and ***');
  });
});

describe('short secrets', () => {
  it.each([
    ['7', 'id=7, 17 or 71 or x7', 'id=***, 17 or 71 or x7'],
    ['abc', 'abc ABC abcd xabc "abc" abc', '*** *** abcd xabc "***" ***'],
    ['a-b', 'a-b xa-b a-b9 [a-b]', '*** xa-b a-b9 [***]'],
    ['a b', 'x=a%20b&y=a+b', 'x=***&y=***'],
    ['$', 'a $ b$ $', 'a *** b$ ***'],
  ])('%s is masked where it stands alone', (secret, text, result) => {
    expect(masked(text, secret)).toBe(result);
  });

  it('four characters are masked everywhere', () => {
    expect(masked('xabcdx', 'abcd')).toBe('x***x');
  });

  it('an empty text is no secret', () => {
    expect(masked('nothing here', '', ' \n')).toBe('nothing here');
  });
});

describe('several secrets', () => {
  it.each<[string, readonly string[], string, string]>([
    ['the longer of two that begin alike', ['token', 'token-long'], 'token-long token', '*** ***'],
    ['one inside another', ['oken', 'a-token-b'], 'a-token-b', '***'],
    ['overlapping: the rest of the second is no clue', ['abcdef', 'defghi'], 'x abcdefghi y', 'x *** y'],
    ['overlapping in a chain', ['abcd', 'cdef', 'efgh'], '<abcdefgh>', '<***>'],
    ['side by side', ['abcd', 'efgh'], '<abcdefgh>', '<***>'],
    ['with itself', ['abab'], '<ababab>', '<***>'],
    ['apart', ['abcd', 'efgh'], 'abcd-efgh', '***-***'],
  ])('%s', (_, values, text, result) => {
    expect(masked(text, ...values)).toBe(result);
    expect(masked(text, ...values.toReversed())).toBe(result);
  });

  it('one that is added later is masked from then on', () => {
    const secrets = new Secrets();
    expect(secrets.mask('token-1 token-2')).toBe('token-1 token-2');
    secrets.add('token-1');
    expect(secrets.mask('token-1 token-2')).toBe('*** token-2');
    secrets.add('token-2', 'token-1');
    expect(secrets.mask('token-1 token-2')).toBe('*** ***');
  });
});

describe('userinfo of URLs is masked, registered or not', () => {
  it.each([
    ['https://user:pass@h.example/x', 'https://***@h.example/x'],
    ['https://user@h.example', 'https://***@h.example'],
    ['https://user:p@ss@h.example', 'https://***@h.example'],
    ["https://us'er:it's@h.example", 'https://***@h.example'],
    ['postgres://u:p@db:5432/x?a=b', 'postgres://***@db:5432/x?a=b'],
    ['a https://u:p@h/ b http://v:q@i/ c', 'a https://***@h/ b http://***@i/ c'],
    ['"https:\\/\\/u:p@h.example\\/x"', '"https:\\/\\/***@h.example\\/x"'],
    ['"https://user:hunter2/pass@h.example/x"', '"https://***@h.example/x"'],
    ['https://user:2hunter#p@ss@h.example', 'https://***@h.example'],
    ['https://user:hun ter2?pass@ho st/', 'https://***@ho st/'],
  ])('%s', (text, result) => {
    expect(masked(text)).toBe(result);
  });

  it.each([
    'https://h.example/x@y',
    'https://h.example:8080/x@y and a@b.example',
    'http://[::1]:8080/x@y',
    '"https://h.example:port/","a@b.example"',
    'https://h.example/?mail=a@b.example',
    'https://h.example?mail=a@b.example',
    'https://h.example#a@b',
    'https://h.example and a@b.example',
    '{"url":"https://h.example","mail":"a@b.example"}',
    'a@b.example',
  ])('%s has none', (text) => {
    expect(masked(text)).toBe(text);
  });

  it('a secret that holds userinfo is masked as a whole', () => {
    const url = 'postgres://u:p@db.example/private?x=y';
    expect(masked(`at ${url}.`, url)).toBe('at ***.');
  });

  it('a secret in the userinfo, too', () => {
    expect(masked('https://user:s3cret@h.example/', 's3cret')).toBe('https://***@h.example/');
  });
});

describe('masking takes time by the length of the text alone', () => {
  /** Microseconds that the processor needs at least for some work: what others do at the same time does not count. */
  const costOf = (work: () => unknown): number =>
    Math.min(
      ...[1, 2, 3].map(() => {
        const start = process.cpuUsage();
        work();
        const { user, system } = process.cpuUsage(start);
        return user + system;
      }),
    );
  /** Sixteen times the text costs about sixteen times as much; by its square, it would be 256 times. */
  const MOST = 100;
  const growth = (workOn: (size: number) => () => unknown, size: number): number => {
    // The first one is compiled.
    workOn(size)();
    return costOf(workOn(16 * size)) / Math.max(1000, costOf(workOn(size)));
  };
  const values = (count: number): string[] => Array.from({ length: count }, (_, at) => `secret+/${at}+value=`);

  it.each([
    ['of many words', 'word secret+/ 12.50 '],
    ['of one letter', 'a'],
    ['of what begins like userinfo', '://'],
    ['of what begins like a scheme', 'a.a+a-'],
    ['of one long authority', 'a', '://'],
    ['of what begins like a userinfo that is broken', '://a:b/'],
    ['of backslashes', '\\'],
  ])('a text %s, with 50 secrets', (_, part, before = '') => {
    const secrets = new Secrets([...values(50), '(a+)+$', '\\\\\\\\x', 'aaaab']);
    const textOf = (size: number): string => before + part.repeat(size / part.length);
    const masking = (size: number) => {
      const text = textOf(size);
      return () => secrets.mask(text);
    };
    expect(growth(masking, 6_250)).toBeLessThan(MOST);
  });

  it('a line with many secrets, each registered between two lines', () => {
    const masking = (count: number) => () => {
      const secrets = new Secrets();
      for (const value of values(count)) {
        secrets.add(value);
        secrets.mask('GET https://h.example/items?offset=100 answered 200');
      }
      return secrets;
    };
    expect(masking(250)().mask('<secret+/249+value=>')).toBe('<***>');
    expect(growth(masking, 250)).toBeLessThan(MOST);
  });
});

describe('secrets that several runs have in common', () => {
  it('are masked in each of them, from the moment at which they are known', () => {
    const shared = new Secrets(['the-client-key']);
    const run = new Secrets(['the-run-key'], shared);
    const text = 'the-client-key, the-run-key, token-1, token-2';
    expect(run.mask(text)).toBe('***, ***, token-1, token-2');
    shared.learn('token-1');
    expect(run.mask(text)).toBe('***, ***, ***, token-2');
    shared.add('token-2');
    expect(run.mask(text)).toBe('***, ***, ***, ***');
    expect(run.longest).toBeGreaterThanOrEqual(shared.longest);
  });

  it('what one run is given or learns is known in it alone', () => {
    const shared = new Secrets([]);
    const [one, other] = [new Secrets([], shared), new Secrets([], shared)];
    one.add('given-to-one');
    one.learn('learned-by-one');
    expect(one.mask('given-to-one learned-by-one')).toBe('*** ***');
    expect(other.mask('given-to-one learned-by-one')).toBe('given-to-one learned-by-one');
  });
});

describe('known values, in the spellings of programs', () => {
  const SECRET = 'hunter2-pass?>~ü';
  const masked = (text: string, secret = SECRET): string => new Secrets([secret]).mask(text);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  describe('a secret inside of what is in base64', () => {
    it.each(['', 'u', 'us', 'user:'])('after %j, at any distance to the end', (before) => {
      for (const after of ['', ':', ':x', ':xy'])
        for (const text of [
          base64(before + SECRET + after),
          Buffer.from(before + SECRET + after).toString('base64url'),
        ]) {
          const rest = masked(text).split('***');
          expect(rest).toHaveLength(2);
          const [head = '', tail = ''] = rest;
          // Of the secret, not one whole byte is left.
          expect(head.length * 6).toBeLessThan((Buffer.byteLength(before) + 1) * 8);
          expect(tail.replace(/=+$/, '').length * 6).toBeLessThan((Buffer.byteLength(after) + 1) * 8);
          expect(masked(encodeURIComponent(text))).toMatch(/^[^*]{0,12}\*\*\*[^*]{0,12}$/);
        }
    });

    it('every text of at least four characters', () => {
      const printable = fc.string({ maxLength: 6 });
      const secret = fc
        .string({ unit: 'grapheme-ascii', minLength: 4, maxLength: 20 })
        .filter((one) => one.trim().length > 3);
      fc.assert(
        fc.property(printable, secret, printable, (before, one, after) => {
          expect(masked(base64(before + one + after), one)).toContain('***');
        }),
      );
    });

    it('shorter secrets are not looked for in base64', () => {
      expect(masked(base64('user:abc:x'), 'abc')).toBe(base64('user:abc:x'));
    });
  });

  const MARKS_OF_ALL_KINDS = `AbCd+Ef&Gh<Ij>Kl'Mn"Op/Qr==`;

  describe('a secret as programs escape it', () => {
    it.each([
      ['.NET', 'AbCd\\u002BEf\\u0026Gh\\u003CIj\\u003EKl\\u0027Mn\\u0022Op/Qr=='],
      ['Go', `AbCd+Ef\\u0026Gh\\u003cIj\\u003eKl'Mn\\"Op/Qr==`],
      ['PHP', `AbCd+Ef\\u0026Gh\\u003CIj\\u003EKl\\u0027Mn\\u0022Op/Qr==`],
      ['HTML', `AbCd+Ef&amp;Gh&lt;Ij&gt;Kl&#39;Mn&quot;Op/Qr==`],
      ['XML', `AbCd+Ef&amp;Gh&lt;Ij&gt;Kl&apos;Mn&quot;Op/Qr==`],
      ['ASP.NET', `AbCd&#x2B;Ef&amp;Gh&lt;Ij&gt;Kl&#x27;Mn&quot;Op/Qr==`],
      ['Go', `AbCd&#43;Ef&amp;Gh&lt;Ij&gt;Kl&#39;Mn&#34;Op/Qr==`],
      ['Python', `AbCd+Ef&amp;Gh&lt;Ij&gt;Kl&#39;Mn&#34;Op/Qr==`],
      ['Mustache', `AbCd+Ef&amp;Gh&lt;Ij&gt;Kl&#39;Mn&quot;Op&#x2F;Qr&#x3D;&#x3D;`],
      ['Handlebars', `AbCd+Ef&amp;Gh&lt;Ij&gt;Kl&#x27;Mn&quot;Op/Qr&#x3D;&#x3D;`],
      ['numbers', `AbCd&#43;Ef&amp;Gh&lt;Ij&gt;Kl&#39;Mn&quot;Op/Qr==`],
    ])('%s', (_, shown) => {
      expect(new Secrets([MARKS_OF_ALL_KINDS]).mask(`key ${shown} is bad`)).toBe('key *** is bad');
    });
  });
});
