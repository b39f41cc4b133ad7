import { readCurl, shellWords } from '../../../src/explore/import/curl';

describe('shellWords', () => {
  it.each([
    ['', []],
    [`a  b\tc`, ['a', 'b', 'c']],
    [`a \\\n  b`, ['a', 'b']],
    [`a \\\r\n  b`, ['a', 'b']],
    [`'a b'"c d"e`, ['a bc de']],
    [`'' ""`, ['', '']],
    [`'it'\\''s'`, ["it's"]],
    [`"a \\"b\\" \\$c \\x"`, ['a "b" $c \\x']],
    [`$'a\\'b\\n\\u00e9\\x41\\101'`, [`a'b\né` + 'AA']],
    [`a$ b`, ['a$', 'b']],
    [`https://h.example/?a=1\\&b=2`, ['https://h.example/?a=1&b=2']],
  ])('splits %j', (text, words) => expect(shellWords(text)).toEqual(words));

  it.each([
    ["'a", 'no end'],
    ['"a', 'no end'],
    ["$'a", 'no end'],
    ['a $HOME', 'a variable'],
    ['a "$HOME"', 'a variable'],
    ['a `id`', 'a variable or a command'],
    ['a $(id)', 'a variable or a command'],
    ['a | b', 'no part of one command'],
    ['a; b', 'no part of one command'],
    ['https://h.example/?a=1&b=2', 'put it in quotes'],
    ['a > b', 'no part of one command'],
  ])('refuses %j', (text, message) => expect(() => shellWords(text)).toThrow(message));
});

describe('readCurl', () => {
  it('reads what Chrome copies for bash', () => {
    const text = `curl 'https://h.example/api/ships?page=1' \\
  -H 'accept: application/json' \\
  -H 'Authorization: Bearer abc' \\
  -b 'sid=1; theme=dark' \\
  -H $'x-note: it\\'s' \\
  --compressed`;
    expect(readCurl(text)).toEqual({
      method: 'GET',
      url: 'https://h.example/api/ships?page=1',
      headers: {
        accept: 'application/json',
        authorization: 'Bearer abc',
        cookie: 'sid=1; theme=dark',
        'x-note': "it's",
      },
    });
  });

  it.each([
    ["curl h.example/a -d a=1 -d 'b=2'", { method: 'POST', url: 'http://h.example/a', body: 'a=1&b=2' }],
    [
      "curl -G https://h.example/a -d a=1 --data-urlencode 'q=x y'",
      { method: 'GET', url: 'https://h.example/a?a=1&q=x%20y' },
    ],
    [
      `curl --json '{"a":1}' --url https://h.example/a`,
      { method: 'POST', headers: { accept: 'application/json', 'content-type': 'application/json' }, body: '{"a":1}' },
    ],
    [
      'curl -d a=b https://h.example/a',
      { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=b' },
    ],
    [
      `curl -d '{"a":1}' -H 'Content-Type: application/json' https://h.example/a`,
      { headers: { 'content-type': 'application/json' }, body: '{"a":1}' },
    ],
    [
      `curl --data-urlencode 'q=a b&c' --data-urlencode '=x=y' --data-urlencode 'é' h.example`,
      { body: 'q=a%20b%26c&x%3Dy&%C3%A9' },
    ],
    ["curl -G 'https://h.example/a?x=1#top' -d a=1", { method: 'GET', url: 'https://h.example/a?x=1&a=1' }],
    ['curl -G https://h.example/a', { method: 'GET', url: 'https://h.example/a' }],
    ["curl -sSXPUT --data-raw '@x' https://h.example/a", { method: 'PUT', body: '@x' }],
    ['curl -ume:pw https://h.example/a', { headers: { authorization: 'Basic bWU6cHc=' } }],
    ['curl --user=me:pw https://h.example/a', { headers: { authorization: 'Basic bWU6cHc=' } }],
  ])('reads %s', (text, request) => expect(readCurl(text)).toMatchObject(request));

  it.each([
    ['wget https://h.example', 'does not begin with "curl"'],
    ['curl', 'no address'],
    ['curl https://a.example https://b.example', 'several addresses'],
    ['curl -d @secrets.txt https://h.example', 'in a file'],
    ['curl --data-urlencode q@secrets.txt https://h.example', 'in a file'],
    ['curl --json @secrets.txt https://h.example', 'in a file'],
    ['curl file:///etc/passwd', 'begins with file: only http and https'],
    ['curl --url FTP://h.example/a', 'begins with ftp'],
    ['curl -b jar.txt https://h.example', 'in a file'],
    ['curl -k https://h.example', 'certificates'],
    ['curl -I https://h.example', 'HEAD'],
    ['curl --proxy http://p.example https://h.example', '--proxy is not known'],
    ['curl -H', 'has no value'],
    ['curl https://[', 'no URL'],
    ['curl -X BREW https://h.example', 'BREW'],
  ])('refuses %s', (text, message) => expect(() => readCurl(text)).toThrow(message));
});
