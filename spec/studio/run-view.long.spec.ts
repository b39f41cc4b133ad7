/** What the page makes of what a run tells: the server's part is played, so that a run may take as long as it wants. */
import type { Page } from 'playwright-core';
import type { StudioEvents } from '../../src/studio/wire';
import { axeFaults, describeInBrowser, LOOKS, overflowOf, withBrowser } from './support';
import type { OpenPage } from './support';

const EVIL = '<img src=x onerror="window.hacked = 1"><script>window.hacked = 1</script>';
const MINUTES = 5;
const AT = MINUTES * 60_000;

const line = (id: string, more: Partial<StudioEvents['jobs'][number]> = {}): StudioEvents['jobs'][number] => ({
  ...{ name: id === 'login' ? 'Login' : id, id, path: `config.${id}` },
  ...{ requests: 9_000, running: 1, retries: 1, pages: 900, items: 90, bytes: 9, held: 3 },
  ...{ state: 'running', ...more },
});

/** A run of five minutes: of its requests, those of the last seconds have bars. */
const reported: StudioEvents = {
  run: { number: 1, state: 'running', startedAt: 1, message: EVIL },
  at: AT,
  leftOut: 8_000,
  jobs: [line(EVIL), line('levels'), line('login', { held: 0 })],
  bars: Array.from({ length: 40 }, (_, at) => [1, at % 3, AT - 4_000 + at * 90, AT - 3_900 + at * 90, 'ok', 20]),
  marks: [
    { at: AT - 50_000, kind: 'renewed', text: `Logged in until later ${EVIL}`, until: AT - 10_000 },
    { at: AT - 30_000, kind: 'retry', text: 'levels: again in 4000 ms', until: AT - 26_000, job: 1 },
    { at: AT - 20_000, kind: 'paused', text: 'Waits', until: AT - 15_000 },
    { at: AT - 9_000, kind: 'warning', text: EVIL },
  ],
  spans: {
    milliseconds: 800,
    soFar: 1,
    changed: Array.from({ length: 375 }, (_, step) => ({
      ...{ job: 1, step, ok: 20 + (step % 7), refused: step % 50 === 0 ? 3 : 0, failed: 0, waited: 0 },
      held: step > 330 ? 4 : 0,
    })),
  },
};

describeInBrowser('the view of a run', () => {
  const { open } = withBrowser();

  const CONFIG = JSON.stringify({
    api: { baseUrl: 'http://127.0.0.1:1/', pagination: { method: 'offset', limit: 1 } },
    config: { sinks: ['sqlite:rivers.sqlite'], jobs: [{ id: 'levels', endpoint: 'levels', children: [] }] },
  });
  const show = async (options: Parameters<typeof open>[1] = {}): Promise<OpenPage> => {
    const opened = await open(CONFIG, options);
    const { page } = opened;
    let times = 0;
    await page.route('**/api/events', (route) =>
      route.fulfill({
        contentType: 'application/x-ndjson',
        body: (times += 1) > 1 ? '' : `${JSON.stringify(reported)}\n`,
      }),
    );
    await page.reload();
    await page.getByRole('tab', { name: 'Run', exact: true }).click();
    await page.locator('canvas').waitFor();
    return opened;
  };
  /** How many dots of the picture have a colour. */
  const dots = (page: Page, [red, green, blue]: readonly [number, number, number]): Promise<number> =>
    page.evaluate<number>(`(() => {
      const canvas = document.querySelector('canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let found = 0;
      for (let at = 0; at < data.length; at += 4)
        if (data[at] === ${red} && data[at + 1] === ${green} && data[at + 2] === ${blue}) found += 1;
      return found;
    })()`);
  const COLOURS = {
    ok: [42, 157, 148],
    refused: [214, 154, 45],
    held: [79, 111, 196],
    login: [122, 107, 208],
  } as const;
  const drawn = async (page: Page, colour: keyof typeof COLOURS): Promise<number> => {
    // The picture is drawn with the next frame.
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    return dots(page, COLOURS[colour]);
  };

  it('shows what is older than its bars as columns, and pages held, retries and logins beside', async () => {
    const { page } = await show();
    const latest = { ok: await drawn(page, 'ok'), held: await drawn(page, 'held'), login: await drawn(page, 'login') };
    expect(latest.ok).toBeGreaterThan(1_000);
    expect(latest.held).toBeGreaterThan(200);
    expect(latest.login).toBeGreaterThan(500);
    expect(await drawn(page, 'refused')).toBeGreaterThan(50);
    await page.getByText('requests are columns').waitFor();
    await page.getByText('is left alone here').waitFor();
  });

  it('tells nothing twice after an interruption, and closes the stream while nobody sees the page', async () => {
    const { page } = await show();
    let asked = 0;
    await page.route('**/api/events', (route) => {
      asked += 1;
      return route.fulfill({ contentType: 'application/x-ndjson', body: `${JSON.stringify(reported)}\n` });
    });
    await page.getByText('What happened').click();
    while (asked < 3) await page.waitForTimeout(50);
    const happened = page.locator('.happened li');
    await happened.first().waitFor();
    expect(await happened.count()).toBe(3);
    expect(await page.getByRole('list', { name: 'Warnings' }).getByRole('listitem').count()).toBe(1);
    const see = (state: string): Promise<unknown> =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await see('hidden');
    const before = asked;
    await page.waitForTimeout(1_500);
    expect(asked).toBeLessThanOrEqual(before + 1);
    await see('visible');
    while (asked < before + 2) await page.waitForTimeout(50);
    expect(await happened.count()).toBe(3);
  });

  it('goes back beyond the last minute, by the keyboard as well', async () => {
    const { page } = await show();
    const back = page.getByRole('slider', { name: 'Look back' });
    expect(await back.getAttribute('aria-valuetext')).toBe('From 4:00 to 5:00');
    await back.press('Home');
    expect(await back.getAttribute('aria-valuetext')).toBe('From 0 s to 1:00');
    expect(await drawn(page, 'held')).toBe(0);
    expect(await drawn(page, 'ok')).toBeGreaterThan(1_000);
    await back.press('ArrowRight');
    expect(await back.getAttribute('aria-valuetext')).toBe('From 1 s to 1:01');
    await page.getByRole('button', { name: 'Whole run' }).click();
    expect(await back.getAttribute('aria-valuetext')).toBe('From 0 s to 5:00');
    expect(await drawn(page, 'held')).toBeGreaterThan(50);
    await page.getByRole('button', { name: 'Last minute' }).click();
    expect(await back.getAttribute('aria-valuetext')).toBe('From 4:00 to 5:00');
  });

  it('takes names and messages as text, whatever they hold', async () => {
    const { page, complaints } = await show();
    await page.getByText('Change one job').click();
    await page.getByText('What happened').click();
    expect(await page.getByText(EVIL).count()).toBeGreaterThan(2);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('.side img, .side script').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it.each(LOOKS)('is found without fault by axe: %s, %j', async (colorScheme, viewport) => {
    const { page } = await show({ colorScheme, viewport, bypassCSP: true, reducedMotion: 'reduce' });
    await page.getByText('Change one job').click();
    await page.getByText('What happened').click();
    expect([await axeFaults(page, 'run'), await overflowOf(page)]).toEqual([[], '']);
  });
});
