/** What the page shows of a cluster, whose part is played. */
import { FatalError } from '../../src';
import type { ClusterPart, ClusterRun, ClusterStatus } from '../../src/temporal';
import { LOOKS, axeFaults, describeInBrowser, overflowOf, withBrowser } from './support';
import type { OpenPage } from './support';

const EVIL = '<img src=x onerror="window.hacked = 1">';
const CONFIG = JSON.stringify({ api: { baseUrl: 'http://127.0.0.1:1/' }, config: { jobs: [{ endpoint: 'levels' }] } });
const run = (runId: string, more: Partial<ClusterRun> = {}): ClusterRun => ({
  ...{ runId, configuration: 'rivers.json', destination: 'postgres://db/rivers', status: 'running' },
  ...{ startedAt: new Date(Date.now() - 90_000), ...more },
});
const part = (name: string, more: Partial<ClusterPart> = {}): ClusterPart => ({
  ...{ name, state: 'running', attempt: 1, worker: '7@one', since: new Date(Date.now() - 12_000) },
  ...{ pages: 3, items: 300, ...more },
});
const progress = {
  ...({ state: 'extracting', done: 1200, running: 3, waiting: 40 } as const),
  ...{ pages: 5000, items: 500_000, requests: 5100, retries: 2, logins: 1 },
};

describeInBrowser('the view of a cluster', () => {
  const { open } = withBrowser();
  let parts: readonly ClusterPart[];
  let isAway: boolean;
  const runs = [run('daily 2'), run('daily 1', { status: 'completed', endedAt: new Date() })];
  const cluster = {
    address: 'cluster.test:7233',
    runs: {
      list: () => Promise.resolve(runs),
      status: (runId: string): Promise<ClusterStatus> => {
        if (isAway)
          return Promise.reject(new FatalError('CLUSTER_UNREACHABLE', 'The server does not answer any more.'));
        const [first = run('')] = runs.filter((each) => each.runId === runId);
        return Promise.resolve({ ...first, progress, parts: first.status === 'running' ? parts : [] });
      },
    },
  };
  beforeEach(() => {
    isAway = false;
    parts = [
      part('job 0.1, pages 23 to 42', { worker: '9@two', state: 'waiting', attempt: 3, failure: `Lost ${EVIL}` }),
      part('job 0.1, pages 3 to 22'),
      part('children of job 0.0, page 1, 2 of 2', { worker: '8@two', pages: 1 }),
      part('children of job 0.0, page 1, 1 of 2'),
    ];
  });
  const show = async (options: Parameters<typeof open>[1] = {}): Promise<OpenPage> => {
    const opened = await open(CONFIG, { cluster, ...options });
    await opened.page.getByRole('tab', { name: 'Cluster' }).click();
    await opened.page.getByRole('region', { name: 'Parts by worker' }).waitFor();
    return opened;
  };

  it('has its runs, and one of them by its workers, as it goes', async () => {
    const { page, complaints } = await show();
    await page.getByText('cluster.test:7233').waitFor();
    const rows = page.getByRole('region', { name: 'Parts by worker' }).locator('tbody tr');
    const told = (await rows.allInnerTexts()).map((text) => text.split(/[\t\n]+/));
    expect(told.map(([worker, name, state]) => [worker, name, state])).toEqual([
      ['7@one', 'children of job 0.0, page 1, 1 of 2', 'running'],
      ['″', 'job 0.1, pages 3 to 22', 'running'],
      ['8@two', 'children of job 0.0, page 1, 2 of 2', 'running'],
      ['9@two', 'job 0.1, pages 23 to 42', `Lost ${EVIL}`],
    ]);
    expect(await page.locator('.counts').innerText()).toMatch(/extracting\s+Workers\s+2\s+Parts done\s+1,200/);
    parts = [part('the commit')];
    await page.getByRole('cell', { name: 'the commit' }).waitFor();
    await page.getByRole('button', { name: 'daily 1' }).click();
    await page.getByRole('heading', { name: 'daily 1' }).waitFor();
    expect(await rows.count()).toBe(0);
    expect([await page.evaluate('window.hacked'), complaints]).toEqual([undefined, []]);
  });

  it('says that the server is away, and goes on when it is back', async () => {
    const { page } = await show();
    isAway = true;
    await page.getByText('does not answer any more').waitFor();
    isAway = false;
    await page.getByText('does not answer any more').waitFor({ state: 'detached' });
  });

  it('is not there without one', async () => {
    const { page } = await open(CONFIG);
    await page.getByRole('tab', { name: 'Past runs' }).waitFor();
    expect(await page.getByRole('tab', { name: 'Cluster' }).count()).toBe(0);
  });

  it.each(LOOKS)('is found without fault by axe: %s, %j', async (colorScheme, viewport) => {
    const { page } = await show({ colorScheme, viewport, bypassCSP: true, reducedMotion: 'reduce' });
    if (process.env['HEADWATER_PICTURES'] !== undefined)
      await page.screenshot({
        path: `${process.env['HEADWATER_PICTURES']}/cluster-${colorScheme}-${viewport.width}.png`,
      });
    expect([await axeFaults(page, 'cluster'), await overflowOf(page)]).toEqual([[], '']);
  });
});
