/** The page of the studio and the jobs of parts: they are in the tree, are tried and run, and are changed as parts are merged. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { scriptedApi } from '../../src/testing';
import { axeFaults, describeInBrowser, LOOKS, overflowOf, withBrowser } from './support';

const SECRET = 'k-71f-secret-93';
const BASE = `api:
  baseUrl: http://api.example
  http: { headers: { X-Api-Token: { attr: '#token' } } }
config:
  '#token': ${SECRET}
  jobs:
    - id: lakes
      endpoint: lakes
      primaryKey: [code]
      dataField: others
      children:
        - { id: depths, endpoint: 'lakes/{code}/depths', placeholders: { code: code }, dataField: depths }
    - { endpoint: ponds, dataField: data }
`;
const OWN = '# What is asked for here.\nextends: ./base.yaml\n';

describeInBrowser('jobs of parts on the page of the studio', () => {
  const data = [
    { code: 'a', name: 'Ness' },
    { code: 'b', name: 'Lomond' },
  ];
  const api = scriptedApi([
    ...data.map(({ code }) => ({ path: `/lakes/${code}/depths`, answer: { json: { depths: [{ metres: 230 }] } } })),
    {
      path: '/lakes',
      answer: ({ headers }) => ({
        json: { received: headers['x-api-token'] ?? '', data, others: data, self: '/lakes', total: 2 },
      }),
    },
    { path: '/ponds', answer: { json: { data: [{ code: 'p' }], others: [] } } },
    {
      path: '/endless',
      answer: ({ url }) => ({ after: 5, json: { others: [{ code: 'a', number: url.searchParams.get('offset') }] } }),
    },
    { path: '/rivers', answer: { json: [{ code: 'r' }] } },
  ]);
  const { open } = withBrowser();
  const opened = (text: string, base: string, more: Parameters<typeof open>[1] = {}) =>
    open(text, { name: 'rivers.yaml', fetch: api.fetch, beside: { 'base.yaml': base }, ...more });

  const job = (page: Page, name: string | RegExp) => page.getByRole('treeitem', { name });
  const look = async (page: Page): Promise<void> => {
    await job(page, /^lakes/).waitFor();
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByRole('region', { name: 'Request', exact: true }).waitFor();
  };
  const save = async (page: Page, path: string): Promise<string> => {
    await page.keyboard.press('Control+s');
    await page.getByText('rivers.yaml is saved.').waitFor();
    return readFile(path, 'utf8');
  };
  const refusal = (page: Page) => page.locator('.notice.error');
  const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click();

  it('shows, previews and runs the jobs of a part, though the file has none of its own', async () => {
    const { page, complaints, folder } = await opened(OWN, BASE);
    await job(page, 'lakes written in base.yaml').waitFor();
    const items = page.getByRole('treeitem');
    expect(await items.count()).toBe(3);
    const levels = await Promise.all([0, 1, 2].map((at) => items.nth(at).getAttribute('aria-level')));
    expect(levels).toEqual(['1', '2', '1']);
    await job(page, 'depths lakes/{code}/depths written in base.yaml').waitFor();
    await job(page, 'ponds written in base.yaml').waitFor();
    await look(page);
    await page.getByText('http://api.example/lakes', { exact: true }).waitFor();
    await job(page, /^depths/).click();
    await page.getByText('http://api.example/lakes/a/depths').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByText('http://api.example/ponds').first().waitFor();
    expect(await page.content()).not.toContain(SECRET);
    await page.getByRole('tab', { name: 'Run', exact: true }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('status').filter({ hasText: 'Finished' }).waitFor();
    const jobsOfRun = () => page.getByRole('rowheader').allTextContents();
    expect(await jobsOfRun()).toEqual(['lakes', 'depths', 'ponds']);
    // A run keeps its names, whatever becomes of the part: ponds has no id of its own.
    await writeFile(join(folder, 'base.yaml'), `# Moved\n${BASE}`);
    await page.reload();
    await page.getByTitle('base.yaml:14').waitFor();
    await page.getByRole('tab', { name: 'Run', exact: true }).click();
    await page.getByRole('rowheader').first().waitFor();
    expect(await jobsOfRun()).toEqual(['lakes', 'depths', 'ponds']);
    expect(complaints).toEqual([]);
  });

  it('writes what is chosen for a job of a part into the file, under its id, and leaves the part alone', async () => {
    const { page, path, folder } = await opened(OWN, BASE);
    await look(page);
    await page.getByText('lakes is written in base.yaml, line 7. What you choose here').waitFor();
    await press(page, '2 items: use as items');
    await job(page, 'lakes changes base.yaml').waitFor();
    await page.getByText('lakes is written in base.yaml, line 7, and changed in rivers.yaml.').waitFor();
    const chosen = '\nconfig:\n  jobs:\n    - id: lakes\n      dataField: data\n';
    expect(await save(page, path)).toBe(OWN.trimEnd() + chosen);
    const code = page.getByRole('button', { name: 'Use code as key' });
    expect(await code.getAttribute('aria-pressed')).toBe('true');
    // Without a list in the file, that of the part would hold.
    await code.click();
    expect(await save(page, path)).toBe(`${OWN.trimEnd()}${chosen}      primaryKey: []\n`);
    expect(await code.getAttribute('aria-pressed')).toBe('false');
    await press(page, 'Use name as key');
    expect(await save(page, path)).toBe(`${OWN.trimEnd()}${chosen}      primaryKey:\n        - name\n`);
    expect(await readFile(join(folder, 'base.yaml'), 'utf8')).toBe(BASE);
  });

  it('adds such a job behind those of the file, also in JSON and in the other form', async () => {
    const own = { extends: 'base.yaml', parameters: { config: { jobs: [{ endpoint: 'rivers' }] } } };
    const text = `// Rivers\n${JSON.stringify(own, null, 2)}\n`;
    const { page, path } = await opened(text, BASE, { name: 'rivers.json' });
    await look(page);
    await press(page, '2 items: use as items');
    await job(page, 'lakes changes base.yaml').waitFor();
    await page.getByRole('button', { name: 'Close this message' }).click();
    await job(page, /^rivers/).click();
    await press(page, 'Use code as key');
    await page.keyboard.press('Control+s');
    await page.getByText('rivers.json is saved.').waitFor();
    const saved = await readFile(path, 'utf8');
    expect(saved).toMatch(/^\/\/ Rivers\n/);
    expect(JSON.parse(saved.replace('// Rivers', ''))).toEqual({
      ...own,
      parameters: {
        config: {
          jobs: [
            { endpoint: 'rivers', primaryKey: ['code'] },
            { id: 'lakes', dataField: 'data' },
          ],
        },
      },
    });
  });

  it('refuses what the file could not change, and names the part', async () => {
    const base = BASE.replace('  http:', '  pagination: { method: offset, limit: 100 }\n  http:').replace(
      'primaryKey: [code]',
      'incremental: { field: name, param: since, initial: A }',
    );
    const { page, path } = await opened(OWN, base);
    await look(page);
    await press(page, 'use as next page');
    expect(await refusal(page).textContent()).toContain(
      'How pages follow each other is written in base.yaml, line 3. Change it there: its limit would stay beside',
    );
    await job(page, /^depths/).click();
    const elsewhere = 'is written in base.yaml, line 13. Change it there: rivers.yaml can change only jobs of a part';
    await page.getByText(`depths ${elsewhere}`).waitFor();
    await press(page, 'Use metres as key');
    expect(await refusal(page).textContent()).toContain(`depths ${elsewhere}`);
    await job(page, /^ponds/).click();
    await press(page, '0 items: use as items');
    expect(await refusal(page).textContent()).toContain('ponds is written in base.yaml, line 14. Change it there');
    await page.getByRole('button', { name: 'Save' }).and(page.locator(':disabled')).waitFor();
    expect(await readFile(path, 'utf8')).toBe(OWN);
  });

  it('writes no secret of a part into the file, not even where it is the name of a job', async () => {
    const { page, path } = await opened(OWN, BASE.replace('id: lakes', `id: lakes-${SECRET}`));
    await look(page);
    await press(page, '2 items: use as items');
    expect(await refusal(page).textContent()).toMatch(
      /^lakes-⟨secret \d+⟩ is written in base.yaml, line 7, with a secret of that file\. Change it there/,
    );
    expect(await page.content()).not.toContain(SECRET);
    expect(await readFile(path, 'utf8')).toBe(OWN);
  });

  it('asks for everything again, and as the part says, in turn', async () => {
    const base = BASE.replace('primaryKey: [code]', 'incremental: { field: name, param: since, initial: A }');
    const { page, path } = await opened(OWN, base);
    await look(page);
    await press(page, 'Ask for what is newer by code');
    expect(await refusal(page).textContent()).toContain('what is newer is written in base.yaml, line 7.');
    const name = page.getByRole('button', { name: 'Ask for what is newer by name' });
    await name.and(page.locator('[aria-pressed=true]')).click();
    await name.and(page.locator('[aria-pressed=false]')).waitFor();
    expect(await save(page, path)).toBe(
      `${OWN.trimEnd()}\nconfig:\n  jobs:\n    - id: lakes\n      incremental: null\n`,
    );
    await name.click();
    await name.and(page.locator('[aria-pressed=true]')).waitFor();
    expect(await save(page, path)).toBe(`${OWN.trimEnd()}\nconfig:\n  jobs:\n    - id: lakes\n`);
  });

  it('tells jobs without an id apart by where they stand', async () => {
    const { page } = await opened(`${OWN}config:\n  jobs:\n    - { endpoint: ponds, params: { own: 1 } }\n`, BASE);
    await look(page);
    await page.getByRole('treeitem', { name: 'ponds', exact: true }).click();
    await page.getByText('http://api.example/ponds?own=1').first().waitFor();
    await job(page, 'ponds written in base.yaml').click();
    await page.getByText('http://api.example/ponds', { exact: true }).first().waitFor();
    expect(await page.getByText('own=1').count()).toBe(0);
  });

  it('follows the part as it changes, and tells what is wrong with it where it is named', async () => {
    const { page, folder } = await opened(OWN, BASE);
    const base = join(folder, 'base.yaml');
    await job(page, 'lakes written in base.yaml').waitFor();
    await writeFile(base, `${BASE}    - { id: tarns, endpoint: tarns }\n`);
    await job(page, 'tarns written in base.yaml').waitFor();
    await writeFile(base, BASE.replace('http://api', 'ftp://api'));
    const fault = page.getByRole('list', { name: 'To correct' }).getByRole('button');
    await fault.filter({ hasText: 'base.yaml:2:12 api.baseUrl' }).click();
    expect(await page.locator('.cm-activeLine').textContent()).toBe('extends: ./base.yaml');
    await job(page, /^tarns/).waitFor({ state: 'detached' });
    await writeFile(base, 'config: [');
    await fault.filter({ hasText: 'base.yaml is not valid YAML' }).waitFor();
    expect(await page.getByRole('treeitem').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Preview', exact: true }).isEnabled()).toBe(true);
    await writeFile(base, BASE);
    await job(page, 'lakes written in base.yaml').waitFor();
    await fault.waitFor({ state: 'detached' });
    // The jobs stay in sight while a line is being written.
    await page.getByRole('textbox', { name: 'Configuration' }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('}');
    await fault.waitFor();
    expect(await page.getByRole('treeitem').count()).toBe(3);
  });

  it('marks a fault at its place in a file that has "parameters" around the rest', async () => {
    const text =
      '# Mine\nparameters:\n  api:\n    baseUrl: http://api.example\n  config:\n    jobs:\n      - endpoint: 5\n';
    const { page } = await opened(text, BASE);
    await page.getByRole('list', { name: 'To correct' }).getByRole('button').click();
    expect(await page.locator('.cm-activeLine').textContent()).toBe('      - endpoint: 5');
  });

  it('says what is left alone, and has the sliders, for what stands in a part', async () => {
    const base = BASE.replace('  http:', '  pagination: { method: offset, limit: 1 }\n  http:')
      .replace('endpoint: lakes', 'endpoint: endless')
      .replace('  jobs:', '  sinks: ["ndjson:hidden.ndjson"]\n  jobs:');
    const { page } = await opened(OWN, base);
    await job(page, /^lakes/).waitFor();
    await page.getByRole('tab', { name: 'Run', exact: true }).click();
    await page.getByText('is left alone here').waitFor();
    expect(await page.content()).not.toContain('hidden.ndjson');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Change one job').click();
    await page.getByRole('slider', { name: 'Pages at once of lakes' }).waitFor();
    await page.getByRole('slider', { name: 'Calls at once of lakes' }).press('ArrowRight');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('status').filter({ hasText: 'Cancelled' }).waitFor();
    expect(await refusal(page).count()).toBe(0);
  });

  it.each(LOOKS)('is found without fault by axe: %s, %j', async (colorScheme, viewport) => {
    const long = `${'a-part-with-a-name-that-is-long-'.repeat(3)}.yaml`;
    const text = `extends: ./${long}\nconfig:\n  jobs:\n    - { id: lakes, params: { own: 1 } }\n    - endpoint: rivers\n`;
    const { page } = await open(text, {
      ...{ name: 'rivers.yaml', fetch: api.fetch, beside: { [long]: BASE } },
      ...{ colorScheme, viewport, bypassCSP: true, reducedMotion: 'reduce' },
    });
    const isNarrow = viewport.width < 900;
    if (isNarrow) await page.getByRole('tab', { name: 'Write' }).click();
    await job(page, /^depths/).click();
    await job(page, /^depths/)
      .and(page.locator('[aria-selected=true]'))
      .waitFor();
    const all = [...(await axeFaults(page, 'tree')), await overflowOf(page)];
    if (isNarrow) await page.getByRole('tab', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByText('depths is written in').waitFor();
    await press(page, 'Use metres as key');
    await refusal(page).waitFor();
    all.push(...(await axeFaults(page, 'preview')), await overflowOf(page));
    expect(all).toEqual(['', '']);
  });
});
