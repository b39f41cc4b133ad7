// Takes minutes, and begins first (scripts/jest/sequencer.cjs).
/**
 * The studio in a browser. With HEADWATER_PICTURES=1 (`npm run docs:pictures`) the same specs write the pictures of docs/studio.md.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { scriptedApi } from '../../src/testing';
import type { ScriptedAnswer } from '../../src/testing';
import { axeFaults, describeInBrowser, LOOKS, NARROW, overflowOf, withBrowser } from './support';

const PICTURES = join(__dirname, '..', '..', 'docs', 'pictures');
const NAMES = ['Wye', 'Dee', 'Test', 'Itchen', 'Tamar', 'Exe', 'Severn', 'Avon', 'Trent', 'Tyne', 'Tees', 'Eden'];
const RIVERS = NAMES.map((name, at) => ({
  id: at + 1,
  name,
  length_km: 60 + at * 17,
  updated_at: `2026-03-${at + 10}`,
}));
const SIZE = 4;
/** So many that storing them takes long enough for the page to show it. */
const GAUGES = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `river ${id % 12}`, metres: id / 7 }));

let origin = '';
const pageOf = (url: URL): ScriptedAnswer => {
  const page = Number(url.searchParams.get('page') ?? 1);
  const data = RIVERS.slice((page - 1) * SIZE, page * SIZE);
  const next = page * SIZE < RIVERS.length ? { next: `${origin}/v1/rivers?page=${page + 1}` } : {};
  return {
    after: 5,
    json: { total: RIVERS.length, links: next, data, tags: ['uk'] },
  };
};
let refusals = 0;
const levelsOf = (river: number): ScriptedAnswer =>
  river === 7 && (refusals += 1) === 1
    ? { status: 429, headers: { 'retry-after': '1' }, after: 60 }
    : { after: 60 + river * 9, json: [1, 2, 3].map((gauge) => ({ gauge, metres: river / gauge })) };
const api = scriptedApi([
  ...RIVERS.map(({ id }) => ({ path: `/v1/rivers/${id}/levels`, answer: () => levelsOf(id) })),
  { path: '/v1/rivers', answer: ({ url }) => pageOf(url) },
  { path: '/v1/gauges', answer: () => ({ json: { data: GAUGES } }) },
  {
    path: '/v1/endless',
    answer: ({ url }) => ({ after: 5, json: [{ id: Number(url.searchParams.get('offset') ?? 0) }] }),
  },
]);
const endless = (): string =>
  JSON.stringify(
    {
      api: { baseUrl: `${origin}/v1/`, pagination: { method: 'offset', limit: 1 } },
      config: { jobs: [{ id: 'levels', endpoint: 'endless' }] },
    },
    null,
    2,
  );

describeInBrowser('the page of the studio', () => {
  let server: { readonly url: string; readonly close: () => Promise<void> };
  const { open } = withBrowser();
  beforeAll(async () => {
    server = await api.listen();
    origin = new URL(server.url).origin;
  });
  afterAll(() => server.close());

  const picture = async (page: Page, name: string): Promise<void> => {
    if (process.env['HEADWATER_PICTURES'] === undefined) return;
    await mkdir(PICTURES, { recursive: true });
    await page.waitForTimeout(1_000);
    const browser = await page.context().newCDPSession(page);
    // Half as large as PNG.
    const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
    await writeFile(join(PICTURES, `${name}.webp`), Buffer.from(data, 'base64'));
  };
  const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();
  const begin = async (page: Page): Promise<void> => {
    await page.getByLabel('The address of a list').fill(`${origin}/v1/rivers`);
    await page.getByRole('button', { name: 'Write without asking' }).click();
  };
  const pickNext = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: '4 items: the items of this job' }).waitFor();
    await page.getByRole('button', { name: 'use as next page' }).click();
    await page.getByText('rivers?page=2', { exact: false }).first().waitFor();
    await page.getByRole('button', { name: 'the next page', exact: true, pressed: true }).waitFor();
  };
  const run = async (page: Page): Promise<void> => {
    await tab(page, 'Run');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
  };

  it('leads from an empty file to a query of the loaded table', async () => {
    const { page, path, complaints } = await open(undefined);
    await picture(page, 'studio-empty');
    await begin(page);
    await page.getByRole('button', { name: '4 items: use as items' }).click();
    await pickNext(page);
    await page.getByRole('button', { name: 'Use id as key' }).click();
    await page.getByRole('button', { name: 'Close this message' }).click();
    await page.getByRole('region', { name: 'Table rivers' }).waitFor();
    await picture(page, 'studio-preview');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('rivers.json is saved.').waitFor();
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      api: { baseUrl: `${origin}/v1/`, pagination: { method: 'response.url', urlKey: 'links.next' } },
      config: { jobs: [{ endpoint: 'rivers', dataType: 'rivers', dataField: 'data', primaryKey: ['id'] }] },
    });
    await run(page);
    await page.getByRole('status').filter({ hasText: 'Finished' }).waitFor();
    await tab(page, 'Tables');
    await page.getByRole('textbox', { name: 'SQL' }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('SELECT count(*) AS rivers, max(length_km) AS longest FROM rivers');
    await page.getByRole('button', { name: 'Run query' }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.waitFor();
    expect(await result.locator('td').allTextContents()).toEqual(['12', '247']);
    await page.getByRole('region', { name: 'Columns of rivers' }).waitFor();
    await picture(page, 'studio-tables');
    await tab(page, 'Past runs');
    await page.getByRole('cell', { name: 'complete' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('begins with the form where there is room for one view', async () => {
    const { page, complaints } = await open(undefined, { viewport: NARROW });
    await page.getByLabel('The address of a list').waitFor();
    // What belongs to the form begins where the form does.
    await page.setViewportSize({ width: 768, height: 1024 });
    const leftOf = async (name: string) => (await page.getByLabel(name).boundingBox())?.x;
    expect(await leftOf('Or an OpenAPI document')).toBe(await leftOf('The address of a list'));
    await page.setViewportSize(NARROW);
    expect(await page.getByRole('tab', { name: 'Write' }).getAttribute('aria-selected')).toBe('true');
    expect(await overflowOf(page)).toBe('');
    expect(complaints).toEqual([]);
  });

  it('keeps 25 lines of the editor, however many jobs there are', async () => {
    const jobs = Array.from({ length: 30 }, (_, at) => ({ endpoint: `rivers/${at}`, dataType: `t${at}`, no_such: 1 }));
    const { page } = await open(JSON.stringify({ api: { baseUrl: `${origin}/v1/` }, config: { jobs } }, null, 2));
    await page.getByRole('list', { name: 'To correct' }).waitFor();
    const lines = `document.querySelector('.editor .cm-scroller').clientHeight / document.querySelector('.cm-line').getBoundingClientRect().height`;
    expect(await page.evaluate<number>(lines)).toBeGreaterThanOrEqual(25);
  });

  it('says that a run stores, closes the completion when a query runs, and offers no key for row numbers', async () => {
    const config = {
      api: { baseUrl: `${origin}/v1/` },
      config: { jobs: [{ endpoint: 'gauges', dataField: 'data', dataType: 'rivers' }] },
    };
    const { page, complaints } = await open(JSON.stringify(config), { viewport: NARROW });
    // All states are noted: on a busy machine one may be over before somebody looks.
    await page.evaluate(`{
      window.states = [];
      const note = () => window.states.push(...[...document.querySelectorAll('[role=status]')].map((each) => each.textContent));
      new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
    }`);
    await run(page);
    await page.getByRole('status').filter({ hasText: 'Finished' }).waitFor();
    expect(await page.evaluate<string[]>('window.states')).toContainEqual(expect.stringContaining('Storing …'));
    expect(await page.getByRole('region', { name: 'Jobs of the run' }).locator('td').first().textContent()).toBe(
      'complete',
    );
    const drawn = `(() => { const c = document.querySelector('canvas'); return c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((each) => each > 0); })()`;
    await page.setViewportSize({ width: 700, height: 800 });
    await page.waitForTimeout(300);
    expect(await page.evaluate<boolean>(drawn)).toBe(true);
    await page.setViewportSize(NARROW);
    await tab(page, 'Tables');
    await page.getByRole('textbox', { name: 'SQL' }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('SELECT 1 AS one, 2 AS c');
    const offers = page.getByRole('listbox', { name: 'Completions' });
    await offers.waitFor();
    const { x = 0, width = 0 } = (await offers.boundingBox()) ?? {};
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(NARROW.width);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('region', { name: 'Result' }).waitFor();
    expect(await offers.count()).toBe(0);
    await page.getByRole('textbox', { name: 'SQL' }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('SELECT * FROM rivers WHERE na');
    // The list follows what is typed a moment later.
    await offers
      .getByRole('option')
      .first()
      .filter({ hasText: /^name$/ })
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it('stops a query, and asks the next one', async () => {
    const config = {
      api: { baseUrl: `${origin}/v1/`, pagination: { method: 'response.url', urlKey: 'links.next' } },
      config: { jobs: [{ endpoint: 'rivers', dataField: 'data' }] },
    };
    const { page, complaints } = await open(JSON.stringify(config));
    await run(page);
    await page.getByRole('status').filter({ hasText: 'Finished' }).waitFor();
    await tab(page, 'Tables');
    const ask = async (sql: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'SQL' }).click();
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Delete');
      await page.keyboard.type(sql);
      await page.getByRole('button', { name: 'Run query', exact: true }).click();
    };
    await ask('SELECT count(*) FROM range(9000000000000000) WHERE hash(range) % 7 = 3');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('The query was stopped.').waitFor();
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    await ask('SELECT count(*) AS n FROM rivers');
    const result = page.getByRole('region', { name: 'Result' });
    await result.waitFor();
    expect(await result.locator('td').allTextContents()).toEqual(['12']);
    expect(await page.getByText('The query was stopped.').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('shows jobs and the calls below them, in lanes, with what was asked again', async () => {
    const levels = { id: 'levels', endpoint: 'rivers/{id}/levels', placeholders: { id: 'id' } };
    const config = {
      api: { baseUrl: `${origin}/v1/`, pagination: { method: 'response.url', urlKey: 'links.next' } },
      config: {
        jobs: [
          {
            id: 'rivers',
            endpoint: 'rivers',
            dataField: 'data',
            concurrency: 4,
            children: [{ ...levels, dataField: '.' }],
          },
        ],
      },
    };
    const { page } = await open(`${JSON.stringify(config, null, 2)}\n`);
    await run(page);
    await page.getByRole('status').filter({ hasText: 'Finished' }).waitFor();
    const cells = page.getByRole('row', { name: /^levels/ }).getByRole('cell');
    const [state, requests, , retries, pages, items] = await cells.allTextContents();
    expect({ state, requests, retries, pages, items }).toEqual({
      state: 'complete',
      requests: '13',
      retries: '1',
      pages: '12',
      items: '36',
    });
    await picture(page, 'studio-run');
    // The picture is there again after another view was looked at.
    const drawn = (): Promise<number> =>
      page.evaluate<number>(`(() => {
        const canvas = document.querySelector('canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let coloured = 0;
        for (let at = 0; at < data.length; at += 4) if (data[at] === 42 && data[at + 1] === 157) coloured += 1;
        return coloured;
      })()`);
    await tab(page, 'Tables');
    await tab(page, 'Run');
    await page.locator('canvas').waitFor();
    while ((await drawn()) < 50) await page.waitForTimeout(50);
  });

  it('keeps the comments of a YAML file, and offers keys of the schema', async () => {
    const text = `# Rivers of the island\napi:\n  baseUrl: ${origin}/v1/ # the new one\nconfig:\n  jobs:\n    - endpoint: rivers\n`;
    const { page, path } = await open(text, { name: 'rivers.yaml' });
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByRole('button', { name: '4 items: use as items' }).click();
    await page.keyboard.press('Control+s');
    await page.getByText('rivers.yaml is saved.').waitFor();
    expect(await readFile(path, 'utf8')).toBe(`${text}      dataField: data\n`);
    await page.getByRole('textbox', { name: 'Configuration' }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('      prim');
    await page.getByRole('option', { name: 'primaryKey' }).waitFor();
  });

  it('changes a run while it goes on, and cancels it', async () => {
    const { page } = await open(endless());
    await run(page);
    const requests = page.locator('.counts div').filter({ hasText: 'Requests' }).locator('dd');
    const count = async (): Promise<number> => Number((await requests.textContent())?.replaceAll(',', ''));
    // The policy of the page lets no expression be evaluated again and again in it.
    const sentMoreThan = async (least: number): Promise<void> => {
      while ((await count()) <= least) await page.waitForTimeout(50);
    };
    await sentMoreThan(20);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('status').filter({ hasText: 'Paused' }).waitFor();
    await page.waitForTimeout(500);
    const paused = await count();
    await page.waitForTimeout(500);
    expect(await count()).toBe(paused);
    // Home is the slowest rate: a request a second.
    await page.getByRole('slider', { name: 'Requests a second' }).press('Home');
    await page.getByRole('button', { name: 'Go on' }).click();
    await sentMoreThan(paused);
    await page.waitForTimeout(1_000);
    expect((await count()) - paused).toBeLessThan(20);
    // One job alone: its rate is beside that of the run.
    await page.getByRole('slider', { name: 'Requests a second' }).press('End');
    await page.getByText('Change one job').click();
    await page.getByRole('slider', { name: 'Requests a second of levels' }).press('Home');
    await page.getByRole('slider', { name: 'Pages at once of levels' }).press('ArrowRight');
    await page.waitForTimeout(300);
    const slowed = await count();
    await sentMoreThan(slowed);
    await page.waitForTimeout(1_000);
    expect((await count()) - slowed).toBeLessThan(20);
    expect(await page.locator('.notice.error').count()).toBe(0);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('status').filter({ hasText: 'Cancelled' }).waitFor();
  });

  it('shows no secret, and refuses an address without its token', async () => {
    const text = endless().replace('"jobs"', '"#token": "k-71f-secret-93", "jobs"');
    const { page, context } = await open(text);
    await page.getByText('⟨secret 1⟩').waitFor();
    expect(await page.content()).not.toContain('k-71f');
    expect(page.url()).not.toContain('#');
    const other = await context.newPage();
    await other.goto(page.url());
    await other.getByText('Open the address that').waitFor();
  });

  it.each(LOOKS)('is found without fault by axe: %s, %j', async (colorScheme, viewport) => {
    const { page } = await open(undefined, { colorScheme, viewport, bypassCSP: true, reducedMotion: 'reduce' });
    const faults = (where: string): Promise<readonly string[]> => axeFaults(page, where);
    const all: string[] = [];
    const isNarrow = viewport.width < 900;
    if (isNarrow) await tab(page, 'Write');
    all.push(...(await faults('empty')));
    await begin(page);
    await page.getByRole('button', { name: '4 items: use as items' }).click();
    await pickNext(page);
    await page.getByRole('region', { name: 'Table rivers' }).waitFor();
    await page.getByRole('button', { name: 'Close this message' }).click();
    const isShownAbove = viewport.width > 1_000 && colorScheme === 'light';
    if (!isShownAbove) await picture(page, `studio-preview-${viewport.width}-${colorScheme}`);
    all.push(...(await faults('preview')));
    await run(page);
    await page.getByRole('status').filter({ hasText: 'Finished' }).waitFor();
    all.push(...(await faults('run')));
    await tab(page, 'Tables');
    await page.getByRole('button', { name: 'Run query' }).click();
    await page.getByRole('region', { name: 'Result' }).waitFor();
    all.push(...(await faults('tables')));
    await tab(page, 'Past runs');
    await page.getByRole('region', { name: 'Past runs' }).waitFor();
    all.push(...(await faults('runs')));
    if (isNarrow) {
      await tab(page, 'Write');
      all.push(...(await faults('write')));
    }
    const overflow = await overflowOf(page);
    expect([all, overflow]).toEqual([[], '']);
  });

  it('is reached by the keyboard alone, from an empty file to a query', async () => {
    const { page } = await open(undefined);
    const focused = (): Promise<string> =>
      page.evaluate<string>(
        '(document.activeElement?.ariaLabel ?? document.activeElement?.textContent ?? "").slice(0, 60)',
      );
    const press = async (wanted: RegExp, key = 'Tab'): Promise<void> => {
      for (let times = 0; times < 60; times += 1) {
        await page.keyboard.press(key);
        if (wanted.test(await focused())) return;
      }
      throw new Error(`The keyboard does not reach ${String(wanted)}.`);
    };
    await press(/^Preview$/);
    await press(/^Switch between/);
    await page.keyboard.press('Tab');
    await page.keyboard.type(`${origin}/v1/rivers`);
    await press(/^Write without asking$/);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '4 items: use as items' }).waitFor();
    await press(/^4 items: use as items/);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Table rivers' }).waitFor();
    await press(/^use as next page/);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Table rivers' }).waitFor();
    await page.getByRole('button', { name: 'Preview', exact: true }).waitFor();
    await press(/^Use id as key/);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+s');
    await page.getByText('rivers.json is saved.').waitFor();
    await press(/^Configuration$/, 'Shift+Tab');
    await press(/^Preview$/, 'Shift+Tab');
    await press(/^Run$/, 'ArrowRight');
    await page.getByRole('heading', { name: 'Run' }).waitFor();
    await press(/^Configuration$/);
    await press(/^Run$/);
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Finished' }).waitFor();
    await press(/^Run$/, 'Shift+Tab');
    await press(/^Configuration$/, 'Shift+Tab');
    await press(/^Run$/, 'Shift+Tab');
    await press(/^Tables$/, 'ArrowRight');
    await page.getByRole('textbox', { name: 'SQL' }).waitFor();
    await press(/^SQL$/);
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.type('SELECT max(length_km) FROM rivers');
    await page.keyboard.press('Control+Enter');
    const result = page.getByRole('region', { name: 'Result' });
    await result.waitFor();
    expect(await result.locator('td').allTextContents()).toEqual(['247']);
    await press(/^Tables$/, 'Shift+Tab');
    await press(/^Past runs$/, 'ArrowRight');
    await page.getByRole('cell', { name: 'complete' }).waitFor();
  });
});
