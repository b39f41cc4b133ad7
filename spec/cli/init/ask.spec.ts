/** The questions of init at a terminal, as a person sees and answers them. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { json, never } from '../../support/answers';
import { startServer, type ApiServer, type Handler } from '../../support/api-server';
import { COMMAND } from '../../support/command';
import { atTerminal, HAS_SCRIPT, type AtTerminal } from '../../support/pseudo-terminal';

const TOKEN = 's3cret-token-4f1d9b2a';
const [ENTER, CTRL_C] = ['\r', '\u0003'];
const shows =
  (text: string) =>
  (lines: readonly string[]): boolean =>
    lines.join('\n').includes(text);

const withTerminal = HAS_SCRIPT ? describe : describe.skip;

withTerminal('headwater init at a terminal', () => {
  let folder: string;
  let server: ApiServer | undefined;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'headwater-asked-'))));
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await server?.close();
    server = undefined;
  });

  const file = (): string => join(folder, 'out.yaml');
  const serve = async (answer: Handler): Promise<string> => {
    server = await startServer(answer);
    return server.origin;
  };
  const init = (...args: readonly string[]): AtTerminal =>
    atTerminal([process.execPath, COMMAND, 'init', ...args, '--out', file()], { columns: 120, rows: 60 });
  /** Types an answer as soon as a question is there. */
  const answer = async (terminal: AtTerminal, question: string, keys: string): Promise<void> => {
    await terminal.until(shows(question));
    terminal.type(keys);
  };

  /** It wants a token, and has items at two places. */
  const guarded: Handler = ({ headers }) =>
    headers.authorization === `Bearer ${TOKEN}`
      ? json({ ships: [{ id: 1, name: 'Ann' }], boats: [{ id: 2, name: 'Bo' }] })
      : json({ error: 'no' }, 401, { 'www-authenticate': 'Bearer' });

  it('asks whether an object of objects is items, and whether more than 12 requests may be sent', async () => {
    const odd: Handler = ({ url }) =>
      !url.includes('?')
        ? json({ total: 9, boats: { a: { id: 1, t: 1 }, b: { id: 2, t: 2 } } })
        : json({ error: 'no' }, 400);
    const origin = await serve(odd);
    const terminal = init(`${origin}/boats`);
    await answer(terminal, '12 requests were sent, and not all is sure yet. Send up to 60?', `y${ENTER}`);
    await answer(terminal, 'What is boats, which has objects under keys of their own?', ENTER);
    expect(await terminal.ended).toBe(0);
    expect(server?.requests.length).toBeGreaterThan(12);
    expect((await terminal.lines()).join('\n')).toContain('2 items at dataField "boats", configured');
  });

  it.each([
    ['items', ENTER, '2 items at dataField "users", configured'],
    ['one object', `\u001b[B${ENTER}`, '1 item at dataField ".", configured'],
  ])('asks what objects of one field each are: %s', async (_, keys, shown) => {
    const origin = await serve(() => json({ users: { u0: { name: 'Ada' }, u1: { name: 'Grace' } } }));
    const terminal = init(`${origin}/people`);
    await answer(terminal, 'What is users, which has objects under keys of their own?', keys);
    expect(await terminal.ended).toBe(0);
    expect((await terminal.lines()).join('\n')).toContain(shown);
    expect(readFileSync(file(), 'utf8')).not.toContain('taken as one object');
  });

  it('asks for the address, the credentials and the place of the items, writes the file, and previews it', async () => {
    const origin = await serve(guarded);
    const terminal = init();
    await answer(terminal, 'Address of the data', `${origin}/fleet${ENTER}`);
    await answer(terminal, 'Which credentials do you have?', ENTER);
    await answer(terminal, 'Token:', `${TOKEN}${ENTER}`);
    // The answer that is proposed is taken out first.
    await answer(terminal, 'Where are the items?', `${'\u0008'.repeat(20)}boats${ENTER}`);
    expect(await terminal.ended).toBe(0);
    const screen = (await terminal.lines()).join('\n');
    expect(screen).toContain(`Written to ${file()}.`);
    expect(screen).toContain('1 item at dataField "boats", configured');
    expect(screen).toContain('Set API_TOKEN in the environment');
    expect(terminal.written()).not.toContain('s3cret');
    const text = readFileSync(file(), 'utf8');
    expect(text).not.toContain('s3cret');
    expect(parse(text)).toMatchObject({
      api: { baseUrl: `${origin}/`, authentication: { type: 'bearer', token: { env: 'API_TOKEN' } } },
      config: { jobs: [{ endpoint: 'fleet', dataField: 'boats' }] },
    });
  });

  it.each([
    ['the first question', 'Address of the data', []],
    ['the question for a secret', 'Token:', ['Which credentials do you have?']],
    ['the last question', 'Where are the items?', ['Which credentials do you have?', 'Token:']],
  ])('Ctrl-C at %s ends it, and leaves no file', async (_, last, before) => {
    const origin = await serve(guarded);
    const terminal = init(...(last === 'Address of the data' ? [] : [`${origin}/fleet`]));
    for (const question of before) await answer(terminal, question, question === 'Token:' ? `${TOKEN}${ENTER}` : ENTER);
    await answer(terminal, last, CTRL_C);
    expect(await terminal.ended).toBe(130);
    const screen = (await terminal.lines()).join('\n');
    expect(screen).toContain('Interrupted.');
    expect(screen).not.toMatch(/Program error|ExitPromptError|\s+at /);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('Ctrl-C while the API is asked ends it, and leaves no file', async () => {
    const origin = await serve(() => never);
    const terminal = init(`${origin}/fleet`);
    await server?.received(0);
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(130);
    expect((await terminal.lines()).join('\n')).toContain('Interrupted.');
    expect(existsSync(file())).toBe(false);
  });
});
