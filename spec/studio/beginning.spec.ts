/** The page that begins with what a person has of an API, and the help that its editor gives. */
import type { Browser, Page } from 'playwright-core';
import { scriptedApi } from '../../src/testing';
import { axeFaults, describeInBrowser, launch, LOOKS, openPage, overflowOf } from './support';
import type { OpenPage } from './support';

jest.setTimeout(60_000);

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
]);

describeInBrowser('the page that begins', () => {
  let browser: Browser;
  let opened: OpenPage | undefined;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
  });
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });

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
      opened = await openPage(browser, undefined, { name, fetch: api.fetch });
      const { page, complaints } = opened;
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

  it('begins anew where there is a text, and gives that back', async () => {
    opened = await openPage(browser, '{"api": {"baseUrl": "http://old.example/"}}', { fetch: api.fetch });
    const { page } = opened;
    await page.getByRole('button', { name: 'New from…' }).click();
    await begin(page);
    expect(await page.getByRole('textbox', { name: 'Configuration' }).textContent()).not.toContain('old.example');
    await page.getByRole('textbox', { name: 'Configuration' }).click();
    await page.keyboard.press('Control+z');
    await page.getByText('old.example').waitFor();
  });

  it('says why it cannot begin', async () => {
    opened = await openPage(browser, undefined, { fetch: api.fetch });
    const { page } = opened;
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
    opened = await openPage(browser, text, { name });
    const { page, complaints } = opened;
    await page.locator('.tok-key', { hasText: 'endpoint' }).hover();
    const about = page.locator('.cm-tooltip-hover .about');
    await about.waitFor();
    expect((await about.textContent())?.length).toBeGreaterThan(20);
    expect(complaints).toEqual([]);
  });

  it.each([
    ['rivers.json', '{ "api": { "pagination": { "method": "off" } } }', 4 + '" } } }'.length - 4, 'offset'],
    ['rivers.yaml', 'api:\n  pagination:\n    method: off', 0, 'offset'],
    ['rivers.json', '{ "api": { "pagin" } }', '" } }'.length, 'pagination'],
    ['rivers.yaml', 'api:\n  pagin', 0, 'pagination'],
  ])('offers keys and values in %s: %s', async (name, text, back, offered) => {
    opened = await openPage(browser, text, { name });
    const { page } = opened;
    await page.getByRole('textbox', { name: 'Configuration' }).click();
    await page.keyboard.press('Control+End');
    for (let times = 0; times < back; times += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: offered, exact: true }).first().waitFor();
  });

  it.each(LOOKS)('is found without fault by axe: %s, %j', async (colorScheme, viewport) => {
    const look = { colorScheme, viewport, bypassCSP: true, reducedMotion: 'reduce' } as const;
    opened = await openPage(browser, undefined, { ...look, fetch: api.fetch });
    const { page } = opened;
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
