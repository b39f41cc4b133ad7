import { configuration, faults, run, warnings } from '../configuration/support';

const baseUrlOf = (baseUrl: unknown) => run(configuration({ baseUrl })).api.baseUrl;

describe('api.baseUrl', () => {
  it.each(['https://h.example', 'http://under_score.example:8080/v1/', 'HTTPS://H.example'])(
    'language 2.2: takes the literal URL %s',
    (url) => {
      expect(baseUrlOf(url)).toBe(url);
    },
  );

  it('language 2.2: keeps an expression as it is', () => {
    const expression = { function: 'concat', args: ['https://', { attr: 'host' }] };
    expect(baseUrlOf(expression)).toEqual(expression);
    expect(warnings(configuration({ baseUrl: expression }))).toEqual([]);
  });

  it('language 2.2: takes a JSON-encoded function with a warning', () => {
    const baseUrl = '{"function":"concat","args":["https://h.example"]}';
    expect(baseUrlOf(baseUrl)).toEqual({ function: 'concat', args: ['https://h.example'] });
    expect(warnings(configuration({ baseUrl }))).toEqual([
      'api.baseUrl: deprecated: a function as JSON text; write the object itself',
    ]);
  });

  it.each([undefined, null, '', {}, []])('language 2.2: must be set; %j is not', (baseUrl) => {
    expect(faults(configuration({ baseUrl }))).toEqual([
      'api.baseUrl: required: the base address of the API, for example "https://api.example.com/v1"',
    ]);
  });

  it.each(['h.example', 'ftp://h.example', 'https://', 'https://h.example:port', '{"a":1}', '{broken'])(
    'language 2.2: refuses %s, which is not a valid URL',
    (baseUrl) => {
      expect(faults(configuration({ baseUrl }))).toEqual([
        `api.baseUrl: expected a valid URL that starts with http:// or https://, or a function, found a string of ${baseUrl.length} characters`,
      ]);
    },
  );

  it('language 2.2: shows nothing of a refused URL, which may hold a password', () => {
    expect(faults(configuration({ baseUrl: 'https://me:pass@h.example:port' }))[0]).not.toMatch(/me:pass|h\.example/);
  });

  it('language 2.1: points to a misspelled or misplaced key', () => {
    expect(faults(configuration({ baseUrl: undefined, baseURI: 'https://h.example' }))[0]).toContain(
      'is "baseURI" a misspelling of it?',
    );
    expect(faults(configuration({ baseUrl: undefined, inner: { baseUrl: 'https://h.example' } }))[0]).toContain(
      '"inner" holds a "baseUrl": does it belong here?',
    );
  });
});
