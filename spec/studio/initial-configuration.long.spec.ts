/** The page that begins with what a person has of an API, and the help that its editor gives. */
import type { Page } from 'playwright-core';
import { scriptedApi } from '../../src/testing';
import { entry, har } from '../explore/import/har-text';
import { axeFaults, describeInBrowser, LOOKS, overflowOf, withBrowser } from './support';

const SECRET = 'k-71f-secret-93';
const EVIL = '<img src=x onerror="window.hacked = 1">';
const api = scriptedApi([
  {
    path: '/v1/rivers',
    answer: ({ url }) => {
      const offset = Number(url.searchParams.get('offset') ?? 0);
      const all = [1, 2, 3, 4, 5].map((id) => ({ id, name: `${EVIL} ${id}`, [EVIL]: id }));
      return { json: { [EVIL]: 1, total: 5, offset, limit: 2, data: all.slice(offset, offset + 2) } };
    },
  },
  {
    path: '/v1/locked',
    answer: ({ headers }) =>
      [headers['authorization'], headers['x-lock']].some((each) => each?.includes(SECRET) === true)
        ? { json: [{ id: 1 }, { id: 2 }] }
        : { status: 401, json: { error: 'no' } },
  },
  {
    path: '/v1/rivers/1/levels',
    answer: () => ({ json: [{ gauge: 1, metres: 2 }] }),
  },
]);

describeInBrowser('the page that begins', () => {
  const { open } = withBrowser();

  const CURL = `curl 'http://api.example/v1/rivers?limit=2' \\\n  -H 'X-Api-Key: ${SECRET}'`;
  const source = (page: Page) => page.getByLabel('The address of a list');
  const begin = async (page: Page): Promise<void> => {
    await source(page).fill(CURL);
    await source(page).press('Enter');
    await page.getByRole('region', { name: 'What was found' }).waitFor();
    await page.getByRole('region', { name: 'Table rivers' }).waitFor();
  };

  it.each(['rivers.json', 'rivers.yaml'])(
    'takes a command line of curl, and keeps its secret out of %s',
    async (name) => {
      const { page, complaints } = await open(undefined, { name, fetch: api.fetch });
      await begin(page);
      expect(await page.getByRole('region', { name: 'What was found' }).textContent()).toMatch(/paging.*API_KEY/s);
      expect(await page.content()).not.toContain(SECRET);
      expect(api.requests.at(-1)?.headers).toMatchObject({ 'x-api-key': SECRET });
      // What the API gave is text, whatever it holds.
      expect(await page.getByText(EVIL).count()).toBeGreaterThan(1);
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      expect(complaints).toEqual([]);
    },
  );

  const fileOf = (name: string, text: string) => ({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
  const openApi = JSON.stringify({
    ...{ openapi: '3.1.0', info: { title: EVIL }, servers: [{ url: 'http://api.example/v1' }] },
    paths: {
      '/rivers': { get: { summary: EVIL, operationId: EVIL } },
      '/rivers/{river}/levels': { get: { parameters: [{ name: 'unit', in: 'query', required: true }] } },
      '/rivers/{river}/dams': { get: { summary: 'Dams of a river' } },
      '/lakes/{lake}/depths': { get: {} },
      [`/${EVIL}`]: { get: {} },
    },
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } },
    security: [{ key: [] }],
  });
  const recording = har(
    entry('http://api.example/v1/rivers', { data: [{ id: 1, name: EVIL }] }, { headers: { 'X-Api-Key': SECRET } }),
    entry('http://api.example/picture', 'x'.repeat(9_000_000), { type: 'image/png' }),
  );

  it('begins with a list of an OpenAPI document, by the keyboard, and keeps the secret that it is given', async () => {
    const { page, complaints } = await open(undefined, { fetch: api.fetch });
    await page.getByLabel('Or an OpenAPI document').setInputFiles(fileOf('openapi.json', openApi));
    await page.getByRole('checkbox', { name: '/rivers', exact: false }).first().focus();
    await page.keyboard.press('Tab');
    await page.keyboard.type(SECRET);
    expect(await page.evaluate('document.activeElement.type')).toBe('password');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Table rivers' }).waitFor();
    expect(api.requests.at(-1)?.headers).toMatchObject({ 'x-api-key': SECRET });
    expect(await page.content()).not.toContain(SECRET);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(complaints).toEqual([]);
  });

  it('takes a list and its children in one go, by the keyboard, and says what it found of each', async () => {
    const { page, complaints } = await open(undefined, { fetch: api.fetch });
    await page.getByLabel('Or an OpenAPI document').setInputFiles(fileOf('openapi.json', openApi));
    // The first list is chosen, with its children that need nothing.
    await page.getByRole('group', { name: '2 of 5 lists chosen' }).waitFor();
    const box = (name: string) => page.getByRole('checkbox', { name });
    const isChecked = (): Promise<readonly boolean[]> =>
      Promise.all(['{river}/dams', '{river}/levels', '{lake}/depths'].map((name) => box(name).isChecked()));
    expect(await isChecked()).toEqual([true, false, false]);
    await page.getByRole('button', { name: 'None' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.getByRole('button', { name: 'Begin' }).isDisabled()).toBe(true);
    // A child brings its parent along, and asks for what nobody else gives.
    await page.keyboard.press('Tab');
    const focused = (): Promise<string> => page.evaluate<string>('document.activeElement.parentElement.textContent');
    for (let times = 0; times < 5 && !(await focused()).includes('/levels'); times += 1)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.getByRole('group', { name: '2 of 5 lists chosen' }).waitFor();
    expect(await isChecked()).toEqual([false, true, false]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    expect(await isChecked()).toEqual([true, true, false]);
    await page.keyboard.press('Tab');
    await page.keyboard.type('m');
    await page.keyboard.press('Tab');
    await page.keyboard.type(SECRET);
    await page.keyboard.press('Enter');
    const found = page.getByRole('region', { name: 'What was found' });
    await found.waitFor();
    await page.getByRole('treeitem', { name: 'levels' }).waitFor();
    expect(await page.getByRole('treeitem').allTextContents()).toHaveLength(3);
    expect(await found.getByRole('heading').allTextContents()).toEqual(
      expect.arrayContaining(['rivers', 'dams', 'levels']),
    );
    expect(await found.textContent()).toMatch(/dams.*This list was not seen/);
    expect(api.requests.some(({ url }) => `${url.pathname}${url.search}` === '/v1/rivers/1/levels?unit=m')).toBe(true);
    // The document is still at hand.
    await page.getByRole('button', { name: 'New from…' }).click();
    await page.getByRole('group', { name: '2 of 5 lists chosen' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await source(page).waitFor();
    expect(await page.content()).not.toContain(SECRET);
    expect(complaints).toEqual([]);
  });

  it('begins with a HAR, without its pictures and without a request', async () => {
    const { page, complaints } = await open(undefined, { fetch: api.fetch });
    const bytes = new Promise<number>((resolve) => {
      page.on('request', (each) => each.url().endsWith('/offer') && resolve(each.postData()?.length ?? 0));
    });
    const before = api.requests.length;
    await page.getByLabel('Or an OpenAPI document').setInputFiles(fileOf('rivers.har', recording));
    await page.getByRole('button', { name: 'Begin' }).click();
    expect(await page.getByRole('region', { name: 'What was found' }).textContent()).toMatch(/data.*API_KEY/s);
    await page.getByText('Preview asks the API').waitFor();
    expect(await bytes).toBeLessThan(5_000);
    expect(api.requests.length).toBe(before);
    expect(await page.content()).not.toContain(SECRET);
    expect(complaints.filter((each) => !each.includes('422'))).toEqual([]);
  });

  it.each(LOOKS)('offers lists without fault by axe: %s, %j', async (colorScheme, viewport) => {
    const look = { colorScheme, viewport, bypassCSP: true, reducedMotion: 'reduce' } as const;
    const { page } = await open(undefined, { ...look, fetch: api.fetch });
    if (viewport.width < 900) await page.getByRole('tab', { name: 'Write', exact: true }).click();
    await page.getByLabel('Or an OpenAPI document').setInputFiles(fileOf('openapi.json', openApi));
    await page.getByRole('group', { name: '2 of 5 lists chosen' }).waitFor();
    expect([await axeFaults(page, 'choices'), await overflowOf(page)]).toEqual([[], '']);
  });

  it('starts over where there is a text, and gives that back', async () => {
    const { page } = await open('{"api": {"baseUrl": "http://old.example/"}}', { fetch: api.fetch });
    await page.getByRole('button', { name: 'New from…' }).click();
    await begin(page);
    expect(await page.getByRole('textbox', { name: 'Configuration' }).textContent()).not.toContain('old.example');
    await page.getByRole('textbox', { name: 'Configuration' }).click();
    await page.keyboard.press('Control+z');
    await page.getByText('old.example').waitFor();
  });

  it.each([
    ['a token', ['Tab', SECRET], `Bearer ${SECRET}`],
    ['a key in a header', ['End', 'Tab', 'x-lock', 'Tab', SECRET], SECRET],
  ] as const)('asks for credentials where the API wants some, and takes %s', async (_, keys, sent) => {
    const { page } = await open(undefined, { fetch: api.fetch });
    await source(page).fill('http://api.example/v1/locked');
    await source(page).press('Enter');
    await page.getByText('status 401. It wants credentials.').waitFor();
    const kind = page.getByRole('combobox', { name: 'Kind' });
    await page.getByRole('textbox', { name: 'Token' }).fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('status 401. It refuses these credentials.').waitFor();
    await page.getByRole('textbox', { name: 'Token' }).fill('');
    await kind.focus();
    for (const key of keys)
      if (/^(?:Tab|End)$/.test(key)) await page.keyboard.press(key);
      else {
        await page.keyboard.press('Control+a');
        await page.keyboard.type(key);
      }
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Table locked' }).waitFor();
    const { headers } = api.requests.at(-1) ?? {};
    expect([headers?.['authorization'], headers?.['x-lock']]).toContain(sent);
    expect(await page.content()).not.toContain(SECRET);
    expect(await page.getByRole('textbox', { name: 'Configuration' }).textContent()).toMatch(/API_(?:TOKEN|KEY)/);
  });

  it('stops asking when the person does not want to wait', async () => {
    let stopped: () => void = () => undefined;
    const isStopped = new Promise<void>((resolve) => (stopped = resolve));
    const never: typeof fetch = (input, init) =>
      new Promise((_, reject) => {
        const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
        signal?.addEventListener('abort', () => {
          stopped();
          reject(new Error('aborted'));
        });
      });
    const { page } = await open(undefined, { fetch: never });
    await source(page).fill('http://api.example/v1/never');
    await source(page).press('Enter');
    await page.getByRole('button', { name: 'Stop' }).click();
    // The API is left alone, too.
    await isStopped;
    expect(await page.getByRole('button', { name: 'Begin' }).isEnabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    expect(await source(page).inputValue()).toContain('/v1/never');
  });

  it.each(LOOKS)('asks for credentials without fault by axe: %s, %j', async (colorScheme, viewport) => {
    const look = { colorScheme, viewport, bypassCSP: true, reducedMotion: 'reduce' } as const;
    const { page } = await open(undefined, { ...look, fetch: api.fetch });
    if (viewport.width < 900) await page.getByRole('tab', { name: 'Write', exact: true }).click();
    await source(page).fill('http://api.example/v1/locked');
    await source(page).press('Enter');
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('basic');
    expect([await axeFaults(page, 'credentials'), await overflowOf(page)]).toEqual([[], '']);
  });

  it('says why it cannot begin', async () => {
    const { page } = await open(undefined, { fetch: api.fetch });
    await source(page).fill('file:///etc/passwd');
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByText('Give the address of a list').waitFor();
  });

  const TEXTS = [
    [
      'rivers.json',
      '{\n  "api": { "baseUrl": "http://api.example/" },\n  "config": { "jobs": [{ "endpoint": "rivers" }] }\n}\n',
    ],
    ['rivers.yaml', 'api:\n  baseUrl: http://api.example/\nconfig:\n  jobs:\n    - endpoint: rivers\n'],
  ] as const;
  it.each(TEXTS)('tells what a key of %s means where the pointer rests', async (name, text) => {
    const { page, complaints } = await open(text, { name });
    await page.locator('.tok-key', { hasText: 'endpoint' }).hover();
    const about = page.locator('.cm-tooltip-hover .about');
    await about.waitFor();
    expect((await about.textContent())?.length).toBeGreaterThan(20);
    expect(complaints).toEqual([]);
  });

  it.each(TEXTS)('keeps the jobs in sight while a line of %s is written', async (name, text) => {
    const { page } = await open(text, { name });
    await page.getByRole('treeitem', { name: 'rivers' }).waitFor();
    await page.locator('.tok-key', { hasText: 'baseUrl' }).click();
    await page.keyboard.press('Home');
    await page.keyboard.type('half');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'To correct' }).waitFor();
    expect(await page.getByRole('treeitem', { name: 'rivers' }).count()).toBe(1);
  });

  it.each([
    ['rivers.json', '{ "api": { "pagination": { "method": "off" } } }', 4 + '" } } }'.length - 4, 'offset'],
    ['rivers.yaml', 'api:\n  pagination:\n    method: off', 0, 'offset'],
    ['rivers.json', '{ "api": { "pagin" } }', '" } }'.length, 'pagination'],
    ['rivers.yaml', 'api:\n  pagin', 0, 'pagination'],
  ])('offers keys and values in %s: %s', async (name, text, back, offered) => {
    const { page } = await open(text, { name });
    await page.getByRole('textbox', { name: 'Configuration' }).click();
    await page.keyboard.press('Control+End');
    for (let times = 0; times < back; times += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: offered, exact: true }).first().waitFor();
  });

  it.each(LOOKS)('is found without fault by axe: %s, %j', async (colorScheme, viewport) => {
    const look = { colorScheme, viewport, bypassCSP: true, reducedMotion: 'reduce' } as const;
    const { page } = await open(undefined, { ...look, fetch: api.fetch });
    const write = async (): Promise<void> => {
      if (viewport.width < 900) await page.getByRole('tab', { name: 'Write', exact: true }).click();
    };
    await write();
    await source(page).fill(CURL);
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByRole('region', { name: 'Table rivers' }).waitFor();
    await write();
    await page.getByRole('button', { name: 'New from…' }).click();
    await page.getByRole('region', { name: 'What was found' }).waitFor();
    expect([await axeFaults(page, 'beginning'), await overflowOf(page)]).toEqual([[], '']);
  });
});
