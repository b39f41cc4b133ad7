import { gzipSync } from 'node:zlib';
import { HeadwaterError } from '../../../src/core/errors/errors';
import { decode, decodeLogin } from '../../../src/http/body/decode';
import type { DecodeOptions } from '../../../src/http/body/decode';
import type { JobRef, Reply, Response } from '../../../src/core/model';
import type { ChosenFormat } from '../../../src/language/parts/format';
import { chosenFormat, CONTENT_TYPES } from '../../support/formats';
import { aRequest, aResponse, HOME, recorder, secretsOf } from '../../support/requests';
import { workbookOf } from '../../support/xlsx';
import { zipOf } from '../../support/zip';

const SECRET = 's3cret-key';
const LINE = `GET ${HOME}/items?key=***`;
const job: JobRef = { id: 'items', path: 'config.jobs[0]', endpoint: 'items', dataType: 'items' };

const answer = (status: number, text: string): Response =>
  aResponse({ request: aRequest({ url: `${HOME}/items?key=${SECRET}` }), status, text });

function read(response: Response, options: Partial<DecodeOptions> = {}, format?: ChosenFormat) {
  const { events, report } = recorder();
  let reply: Reply | undefined;
  let error: unknown;
  try {
    reply = decode({ ignoreErrors: [], contentTypes: CONTENT_TYPES, report, secrets: secretsOf(SECRET), ...options })(
      response,
      { items: { delimiter: '.' }, ...(format === undefined ? {} : { format }) },
    );
  } catch (reason) {
    error = reason;
  }
  return { reply, error, events, message: error instanceof HeadwaterError ? error.message : '' };
}

describe('language 2.8: reading a response', () => {
  it.each([
    ['{"a":[1]}', { a: [1] }],
    ['[]', []],
    ['null', null],
    ['"text"', 'text'],
    ['\uFEFF{"a":1}', { a: 1 }],
    ['{"id":9007199254740993}', { id: 9007199254740993n }],
  ])('%s is data, whatever its content type', (text, data) => {
    const response = { ...answer(200, text), headers: { 'content-type': 'text/html' } };
    expect(read(response)).toMatchObject({ reply: { response, data }, events: [] });
  });

  it.each([
    [204, ''],
    [200, ' \r\n'],
  ])('an empty body (%i, %j) is no data, with a warning', (status, text) => {
    const { reply, events } = read(answer(status, text), { job });
    expect(reply?.data).toBeUndefined();
    expect(events).toEqual([
      { type: 'warning', code: 'EMPTY_BODY', message: `The response of ${LINE} is empty: it counts as no items.`, job },
    ]);
  });

  describe('bytes that are no UTF-8', () => {
    const body = Buffer.from('{"é":["caf\xe9"],"è":1}', 'latin1');
    const latin1 = { ...answer(200, ''), body };

    it('are read by the charset that the response names: keys stay apart, and items are passed on in UTF-8', () => {
      const { reply, events } = read({
        ...latin1,
        headers: { 'content-type': 'application/json; charset=ISO-8859-1' },
      });
      expect(reply?.data).toEqual({ é: ['café'], è: 1 });
      expect(Buffer.from(reply?.raw?.lines('', '') ?? []).toString()).toBe('"café"\n');
      expect(events).toEqual([]);
    });

    it('are UTF-16 where they are', () => {
      const utf16 = { ...latin1, body: Buffer.from('\uFEFF{"é":[1]}', 'utf16le') };
      expect(read(utf16)).toMatchObject({ reply: { data: { é: [1] } }, events: [] });
    });

    it('are an error that says what to do where nothing is named, and do it: name the encoding', () => {
      const { error, message } = read(latin1);
      expect(error).toMatchObject({ code: 'API_NOT_JSON', recovery: 'fatal' });
      expect(message).toContain(
        'it holds bytes that are no UTF-8, and nothing says what else it is: set "encoding" in the format of the job ' +
          'to what it is, such as {"type":"json","encoding":"windows-1252"}. {"é":["café"],"è":1}',
      );
      const format = chosenFormat({ type: 'json', encoding: 'windows-1252' });
      const reading = decode({ ignoreErrors: [], contentTypes: [], report: () => undefined, secrets: secretsOf() });
      expect(reading(latin1, { format, items: { delimiter: '.' } })).toMatchObject({ data: { é: ['café'], è: 1 } });
    });

    it('are left out with a warning where the language alone decides', () => {
      const { reply, events } = read(latin1, { job, misfits: 'leave out' });
      expect(reply?.data).toEqual({ '': 1 });
      expect(events).toMatchObject([{ type: 'warning', code: 'INVALID_UTF8', job }]);
      expect(read({ ...latin1, body: Buffer.from('{"a":["café"]}') }, { job, misfits: 'leave out' }).events).toEqual(
        [],
      );
    });

    it('are an error of a login, which does not show them', () => {
      for (const format of ['json', 'text'] as const) {
        const login = (): unknown => decodeLogin(secretsOf())(latin1, format);
        expect(login).toThrow(/not in the encoding that it names, or else no UTF-8\.$/);
      }
    });
  });

  it('a body that is not JSON is an error that says where, why and how the body begins', () => {
    const { error, message } = read(answer(200, `<a>\n  ${SECRET}\n</a>`));
    expect(error).toMatchObject({ code: 'API_NOT_JSON', recovery: 'fatal' });
    expect(message).toMatch(/^Invalid JSON response from API: /);
    expect(message).toContain(LINE);
    expect(message).toContain("Unexpected token '<'");
    expect(message).toContain('<a> *** </a>');
    expect(message).not.toContain('\n');
    expect(message).toMatch(/set "format" in the job\.$/);
    expect(read(answer(200, '{"id": 1,')).message).not.toContain('format');
    expect(read(answer(200, 'id,n'), {}, chosenFormat('json')).message).not.toContain('format');
  });

  it.each([
    ['without a format', '{"id":1}\n{"id":2}\n', undefined],
    ['with an empty line and no end of line', '\n{"id":1}\r\n\n[2]', undefined],
    ['with the format json', '{"id":1}\n{"id":2}\n', chosenFormat('json')],
  ])('JSON lines %s are an error that names the format to write', (_, text, format) => {
    const { error, message } = read(answer(200, text), {}, format);
    expect(error).toMatchObject({ code: 'API_NOT_JSON' });
    expect(message).toContain('each of its 2 lines is JSON. Set "format": "jsonl" in the job.');
  });

  it.each(['{"id":1}\n{"id":2', '{"id":1} {"id":2}', '{"id":1}x', '<a>\n</a>'])('%j are no JSON lines', (text) => {
    expect(read(answer(200, text)).message).not.toContain('jsonl');
  });

  it.each([SECRET, `["${SECRET}" x]`, `{"a":"${SECRET}"`, `{"a": ${SECRET}}`, `, "${SECRET}"`, `"${SECRET}", "b"`])(
    'the reason shows no secret: %s',
    (text) => {
      const { message } = read(answer(200, text));
      expect(message).toContain('Invalid JSON response from API');
      expect(message).not.toMatch(/s3cre|t-key/);
    },
  );

  it('a status of 400 and above is an error with the beginning of the body, masked and on one line', () => {
    const { error, message } = read(answer(404, `{\n "error": "no ${SECRET}" }`));
    expect(error).toMatchObject({ code: 'API_STATUS', recovery: 'fatal' });
    expect(message).toBe(
      `The API request failed: [404] ${LINE}: { "error": "no ***" } Check api.baseUrl and the endpoint.`,
    );
  });

  it('shows at most 300 characters, and never a part of a secret', () => {
    const { message } = read(answer(500, `${'x'.repeat(295)}${SECRET}${'y'.repeat(1000)}`));
    expect(message).toBe(`The API request failed: [500] ${LINE}: ${'x'.repeat(295)}***yy…`);
  });

  it('searches only the beginning of a long body, and shows no part of a secret at its end', () => {
    const started = performance.now();
    expect(read(answer(500, `no ${'é€ '.repeat(5_000_000)}`)).message).toContain('no é€ é€');
    expect(performance.now() - started).toBeLessThan(10_000);
    const window = 65_536 + 300;
    for (const shown of [1, 5, SECRET.length - 1]) {
      const { message } = read(answer(500, `no${' '.repeat(window - 2 - shown)}${SECRET}${'y'.repeat(1000)}`));
      expect(message).toBe(`The API request failed: [500] ${LINE}: no`);
    }
    expect(read(answer(500, ' '.repeat(100_000))).message).toBe(`The API request failed: [500] ${LINE}: …`);
  });

  it.each([400, 401, 403, 404, 408, 409, 410, 420, 422, 499])('status %i is fatal: a person has to act', (status) => {
    expect(read(answer(status, ''), { job }).error).toMatchObject({
      name: 'FatalError',
      code: 'API_STATUS',
      recovery: 'fatal',
      status,
      method: 'GET',
      url: `${HOME}/items?key=***`,
      attempt: 1,
    });
  });

  it.each([429, 500, 501, 502, 503, 504, 599])('after status %i the same request may succeed later', (status) => {
    expect(read(answer(status, '')).error).toMatchObject({
      name: 'RetryableError',
      code: 'API_STATUS',
      recovery: 'retry',
      status,
      url: `${HOME}/items?key=***`,
      curlCode: undefined,
    });
  });

  it('says how many attempts there were, and how long the API asks to wait', () => {
    const { error, message } = read({ ...answer(503, 'busy'), attempts: 11, retryAfterSeconds: 30 });
    expect(error).toMatchObject({ attempt: 11, retryAfterSeconds: 30 });
    expect(message).toBe(`The API request failed: [503] ${LINE}, after 11 attempts: busy`);
  });

  it.each([
    ['86400 seconds, longer than api.retryConfig.maxDelay: raise that', 86_400],
    ['1698330089600 seconds, longer than anybody means', 1_698_330_089_600],
  ])('says that the API asks for too long a wait, perhaps in milliseconds: %s', (words, retryAfterSeconds) => {
    const { message } = read({ ...answer(429, ''), retryAfterSeconds, isWaitTooLong: true });
    expect(message).toContain(`asks to wait ${words}`);
    expect(message).toContain('If its header has milliseconds in place of seconds');
  });

  it.each([
    [401, 'Check the credentials.'],
    [403, 'Check the credentials, and what they allow.'],
    [429, 'api.retryConfig.maxRetries'],
  ])('for %i it says what to do', (status, hint) => {
    const { message } = read(answer(status, ''));
    expect(message).toContain(`[${status}] ${LINE}: The body is empty. `);
    expect(message).toContain(hint);
  });
});

describe('language 2.9: http.ignoreErrors', () => {
  const ignoreErrors = [200, 404];

  it('a failure with a listed status is read as a success, with a warning', () => {
    const { reply, events } = read(answer(404, '{"items":[]}'), { ignoreErrors, job });
    expect(reply?.data).toEqual({ items: [] });
    expect(events).toEqual([
      {
        type: 'warning',
        code: 'STATUS_IGNORED',
        message: `Failed to get response of ${LINE}: the status 404 is ignored.`,
        job,
      },
    ]);
  });

  it('a body that is not JSON becomes errorData, with another warning', () => {
    const { reply, events } = read(answer(404, 'not found\n'), { ignoreErrors });
    expect(reply?.data).toEqual({ errorData: 'not found\n' });
    expect(events).toMatchObject([{ code: 'STATUS_IGNORED' }, { code: 'BODY_IGNORED' }]);
    expect(events[1]).toMatchObject({ message: expect.stringMatching(/^Failed to parse response of /) as string });
  });

  it('so does the body of a success with a listed status', () => {
    const { reply, events } = read(answer(200, 'fine'), { ignoreErrors });
    expect(reply?.data).toEqual({ errorData: 'fine' });
    expect(events).toMatchObject([{ code: 'BODY_IGNORED' }]);
  });

  it('an empty body with a listed status is no data', () => {
    const { reply, events } = read(answer(404, ''), { ignoreErrors });
    expect(reply?.data).toBeUndefined();
    expect(events).toMatchObject([{ code: 'STATUS_IGNORED' }, { code: 'EMPTY_BODY' }]);
  });

  it('a status that is not listed fails', () => {
    expect(read(answer(403, '{}'), { ignoreErrors }).error).toMatchObject({ code: 'API_STATUS' });
    expect(read(answer(201, 'text'), { ignoreErrors }).error).toMatchObject({ code: 'API_NOT_JSON' });
  });
});

describe('a file where JSON should be', () => {
  const of = (body: Uint8Array): string => read({ ...answer(200, ''), body }).message;
  const UNPACK =
    'Set "format" in the job to what the file in it is, such as "csv", "jsonl", "xml" or "json": then it is unpacked.';

  it.each([
    ['a gzip file', gzipSync('[1]'), `a gzip file. ${UNPACK}`],
    ['a zip archive', zipOf([{ name: 'a.json', content: '[1]' }]), `a zip archive. ${UNPACK}`],
    ['a damaged zip archive', zipOf([{ name: 'a.json', content: '[1]' }]).subarray(0, -1), `a zip archive. ${UNPACK}`],
    ['an Excel file', workbookOf({ A: '' }), 'an Excel file. Set "format": "xlsx" in the job.'],
    [
      'an Excel file of the old kind',
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      'an Excel file of the old kind (.xls), or an encrypted one. Ask the API for .xlsx or CSV.',
    ],
  ])('%s is an error that names the format to set', (_, body, reported) => {
    expect(of(body)).toBe(`Invalid JSON response from API: ${LINE}: the API answered with ${reported}`);
  });

  it('is quoted nowhere, where a format is given', () => {
    const body = zipOf([{ name: 'a.csv', content: 'a' }]).subarray(0, -1);
    const csv = chosenFormat('csv');
    const decoding = () =>
      decode({ ignoreErrors: [], contentTypes: [], report: () => undefined, secrets: secretsOf(SECRET) })(
        { ...answer(200, ''), body },
        { format: csv, items: { delimiter: '.' } },
      );
    expect(decoding).toThrow(
      `Invalid CSV response from API: ${LINE}: it is a damaged zip archive, or it ends too early.`,
    );
  });
});

describe('language 4.5.3: the response to a login', () => {
  const readLogin = decodeLogin(secretsOf(SECRET));

  it('json gives data, or nothing for an empty body', () => {
    expect(readLogin(answer(200, '{"token":"t"}'), 'json')).toEqual({ token: 't' });
    expect(readLogin(answer(200, '"t"'), 'json')).toBe('t');
    expect(readLogin(answer(204, ''), 'json')).toBeUndefined();
  });

  it('text gives the body unchanged', () => {
    expect(readLogin(answer(200, '  a-token\n'), 'text')).toBe('  a-token\n');
    expect(readLogin(answer(200, '{"a":1}'), 'text')).toBe('{"a":1}');
  });

  it('nothing of a successful body is shown: it may be a token', () => {
    const attempt = () => readLogin(answer(200, 'qzxj-a-token'), 'json');
    expect(attempt).toThrow(HeadwaterError);
    expect(attempt).toThrow('set api.authentication.format to "text"');
    expect(attempt).toThrow(/^(?!.*(qzxj|'q'|a-token))/);
  });

  it.each(['json', 'text'] as const)('a failure is an error that shows the body, format %s', (format) => {
    expect(() => readLogin(answer(401, `bad password ${SECRET}`), format)).toThrow(
      `The API request failed: [401] ${LINE}: bad password *** Check the credentials.`,
    );
  });
});

describe('a web page where data should be', () => {
  const PAGE = `<!DOCTYPE html>\n<html><head><title>Sign in\n ${SECRET}</title></head><body>…</body></html>`;
  const withType = (response: Response, type: string): Response => ({ ...response, headers: { 'content-type': type } });

  it.each([
    ['a document type', PAGE],
    ['an element html', `<html lang="en"><title>Sign in ${SECRET}</title>`],
    ['white space and comments', ` \r\n<!-- a --> <!-- b -->\n${PAGE}`],
    ['a byte order mark', `\uFEFF${PAGE}`],
    ['an XML declaration', `<?xml version="1.0"?>\n${PAGE.toLowerCase().replace('sign in', 'Sign in')}`],
  ])('is told by its beginning: %s', (_, text) => {
    const { error, message } = read(answer(200, text));
    expect(error).toMatchObject({ code: 'API_NOT_JSON', recovery: 'fatal', status: 200 });
    expect(message).toMatch(/^Invalid JSON response from API: /);
    expect(message).toContain('the API answered with a web page ("Sign in ***")');
    expect(message).toContain('check api.baseUrl, the endpoint and the credentials');
    expect(message).not.toContain(SECRET);
  });

  it('is told by its content type; without a title the message shows how it begins', () => {
    const { message } = read(withType(answer(200, '<p>Please log in</p>'), 'text/html; charset=utf-8'));
    expect(message).toContain('a web page (<p>Please log in</p>)');
  });

  it('of a status of 400 and above is named by its title', () => {
    const { message } = read(answer(502, '<html><head><title>502 Bad Gateway</title></head>'));
    expect(message).toBe(`The API request failed: [502] ${LINE}: a web page ("502 Bad Gateway").`);
  });

  it('cuts a long title', () => {
    const { message } = read(answer(200, `<html><title>${'t'.repeat(500)}</title>`));
    expect(message).toContain(`a web page ("${'t'.repeat(100)}…")`);
  });

  it('JSON that calls itself HTML is JSON, and broken JSON is shown', () => {
    expect(read(withType(answer(200, '{"a":[1]}'), 'text/html')).reply?.data).toEqual({ a: [1] });
    expect(read(withType(answer(200, '{"a":'), 'text/html')).message).not.toContain('web page');
    expect(read(withType(answer(400, '{"error":"no"}'), 'text/html')).message).toContain(': {"error":"no"}');
  });

  it('is no table: not where CSV is expected, nor where the content type says so', () => {
    const csv = chosenFormat('csv');
    const options = {
      ignoreErrors: [],
      contentTypes: CONTENT_TYPES,
      report: () => undefined,
      secrets: secretsOf(SECRET),
    };
    const items = { delimiter: '.' };
    expect(() => decode(options)(answer(200, PAGE), { format: csv, items })).toThrow(/Invalid CSV .* a web page/);
    const typed = withType(answer(200, PAGE), 'text/xml');
    expect(() => decode(options)(typed, { items })).toThrow(/Invalid JSON .* a web page/);
  });

  it('comes from a login as well, of which nothing is shown', () => {
    const login = (): unknown => decodeLogin(secretsOf())(answer(200, PAGE), 'json');
    expect(login).toThrow(/the login answered with a web page/);
    expect(login).not.toThrow(/Sign in/);
  });

  it('is read in no time, whatever it holds', () => {
    for (const text of [
      '<!--'.repeat(500_000),
      `<html><title${' '.repeat(500_000)}`,
      `<html>${'<title>'.repeat(20_000)}`,
    ]) {
      const started = performance.now();
      expect(read(answer(200, text)).error).toBeDefined();
      expect(performance.now() - started).toBeLessThan(10_000);
    }
  });
});
