import * as fc from 'fast-check';
import { Secrets } from '../../../src/core/secrets/secrets';

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
