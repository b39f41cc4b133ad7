import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { COMMAND, runToEnd } from '../support/command';

const PARTS = join(__dirname, '../docs/show/parts.mjs');
const explained = (...words: readonly string[]) => runToEnd(['explain', ...words]);

describe('headwater explain', () => {
  it('lists all parts by kind, those of the user among them', async () => {
    const { status, stdout } = await explained('--components', PARTS);
    expect(stdout).toMatch(/^authentication\n {2}apiKey +Sends a key in a header or in the query/);
    expect(stdout).toMatch(
      /^pagination\n(?: {2}.*\n)* {2}marker +Asks for the items behind the last one, by its key\.$/m,
    );
    expect(stdout.match(/^\w+$/gm)).toEqual([
      'authentication',
      'pagination',
      'format',
      'function',
      'sink',
      'middleware',
    ]);
    expect(status).toBe(0);
    expect((await explained()).stdout).not.toContain('marker');
  });

  it.each([
    ['offset', '# `offset`'],
    ['md5', '# md5'],
    ['login', '# `login`'],
    ['duckdb', '# `duckdb`'],
    ['sink csv', '# `csv`\n\nLinked tables as CSV files'],
    ['format csv', '# `csv`\n\nReads lines with a delimiter'],
  ])('%s: its page in Markdown', async (words, heading) => {
    const { status, stdout, stderr } = await explained(...words.split(' '));
    expect(stdout.startsWith(heading)).toBe(true);
    expect(stdout.endsWith('\n')).toBe(true);
    expect([status, stderr]).toEqual([0, '']);
  });

  it.each([
    ['marker', '- `param` (string; required):'],
    ['hmac', '`config.#hmacSecret`'],
    ['slug', '# slug'],
    ['webhook', '`webhook:URL`'],
    ['middleware timing', 'Tells how long each attempt took.\n\nIt stands around each attempt.'],
  ])('%s: the page of a part of the user', async (words, line) => {
    const { status, stdout } = await explained(...words.split(' '), '--components', PARTS);
    expect(stdout.replace(/ +/g, ' ')).toContain(line);
    expect(status).toBe(0);
  });

  it.each([
    [['ofset'], 'There is no part "ofset"; did you mean "offset"? "headwater explain" lists all parts.\n'],
    [['snik', 'csv'], 'There is no part "snik csv"; did you mean "sink csv"? "headwater explain" lists all parts.\n'],
    [['qqqqqqqq'], 'There is no part "qqqqqqqq". "headwater explain" lists all parts.\n'],
    [['csv'], 'There are several parts "csv": format csv, sink csv. "headwater explain" lists all parts.\n'],
  ])('%j: no page', async (words, message) => {
    expect(await explained(...words)).toEqual({ status: 1, stdout: '', stderr: message });
  });
});

describe('headwater schema', () => {
  it('is a JSON Schema that has the parts of the user', async () => {
    const { status, stdout, stderr } = await runToEnd(['schema', '--components', PARTS]);
    expect([status, stderr]).toEqual([0, '']);
    const schema = JSON.parse(stdout) as {
      readonly $schema: string;
      readonly $defs: Readonly<Record<string, unknown>>;
    };
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(Object.keys(schema.$defs)).toEqual(expect.arrayContaining(['authentication.hmac', 'authentication.basic']));
    expect(JSON.stringify(schema.$defs['pagination'])).toContain('marker');
    expect(JSON.stringify(schema.$defs['expression'])).toContain('"slug"');
    const references = [...stdout.matchAll(/"\$ref": "#\/\$defs\/([^"]+)"/g)].map(([, name = '']) => name);
    expect(references.filter((name) => !(name in schema.$defs))).toEqual([]);
    expect((await runToEnd(['schema'])).stdout).not.toContain('marker');
  });

  it('is called describe as well, and list lists', async () => {
    const [described, listed, all] = await Promise.all([
      runToEnd(['describe', 'offset']),
      runToEnd(['list']),
      explained(),
    ]);
    expect(described.stdout).toMatch(/^# `offset`/);
    expect(listed.stdout).toBe(all.stdout);
  });

  it('ends quietly when its reader goes away', async () => {
    const child = spawn(process.execPath, [COMMAND, 'schema'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let reported = '';
    child.stderr.on('data', (chunk: Buffer) => (reported += chunk.toString()));
    const status = await new Promise((resolve) => child.once('close', resolve));
    expect([status, reported]).toEqual([141, '']);
  });
});
