import { Secrets } from '../../../src/core/secrets/secrets';

const SECRET = `AbCd+Ef&Gh<Ij>Kl'Mn"Op/Qr==`;

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
    expect(new Secrets([SECRET]).mask(`key ${shown} is bad`)).toBe('key *** is bad');
  });
});
