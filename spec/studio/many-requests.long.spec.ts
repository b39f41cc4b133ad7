/** HEADWATER_STUDIO_REQUESTS=100000 is the long form, which also measures: it takes some minutes. */
import type { Browser } from 'playwright-core';
import { describeInBrowser, launch, openPage } from './support';
import type { OpenPage } from './support';

const LONG = process.env['HEADWATER_STUDIO_REQUESTS'];
const REQUESTS = Number(LONG ?? 1_000);
jest.setTimeout(120_000 + REQUESTS * 20);

/** The most milliseconds that the page may take for one thing: it has to answer a key within a tenth of a second. */
const LONGEST_TASK = 100;
/** The most elements of the page, however many requests there were. */
const MOST_ELEMENTS = 400;
const MOST_BYTES = 60_000_000;
/** What one picture may draw: a bar for each pixel of its lane, and the columns of the spans. */
const MOST_DRAWN = 15_000;

/** An API with so many pages of an item. */
const fetchPages: typeof globalThis.fetch = (input) => {
  const offset = Number(new URL(input instanceof Request ? input.url : input).searchParams.get('offset') ?? 0);
  const body = offset < REQUESTS - 1 ? [{ id: offset }] : [];
  return Promise.resolve(Response.json(body));
};
const CONFIG = JSON.stringify({
  api: { baseUrl: 'http://api.example', pagination: { method: 'offset', limit: 1 } },
  config: { jobs: [{ id: 'many', endpoint: 'many' }] },
});

/** Counts what the page does while the run goes on. */
const WATCH = `
  window.watched = { longest: 0, frames: 0, drawn: 0, mostDrawn: 0, late: [] };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.longest = Math.max(watched.longest, duration);
  }).observe({ entryTypes: ['longtask'] });
  const fillRect = CanvasRenderingContext2D.prototype.fillRect;
  CanvasRenderingContext2D.prototype.fillRect = function (...given) {
    watched.drawn += 1;
    fillRect.apply(this, given);
  };
  let before = performance.now();
  const count = () => {
    const now = performance.now();
    watched.frames += 1;
    watched.late.push(now - before);
    if (watched.late.length > 20_000) watched.late.shift();
    before = now;
    watched.mostDrawn = Math.max(watched.mostDrawn, watched.drawn);
    watched.drawn = 0;
    requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
`;
interface Watched {
  readonly longest: number;
  readonly frames: number;
  readonly mostDrawn: number;
  readonly late: readonly number[];
}

describeInBrowser('the page of the studio in a long run', () => {
  let browser: Browser;
  let opened: OpenPage;
  beforeAll(async () => {
    browser = await launch();
    opened = await openPage(browser, CONFIG, { fetch: fetchPages });
  });
  afterAll(async () => {
    await opened.close();
    await browser.close();
  });

  it(`goes on answering while a run sends ${REQUESTS} requests`, async () => {
    const { page, context, complaints } = opened;
    await page.evaluate(WATCH);
    await page.getByRole('tab', { name: 'Run', exact: true }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /Finished|Failed/ })
      .waitFor({ timeout: 100_000 + REQUESTS * 15 });
    const { longest, frames, mostDrawn, late } = await page.evaluate<Watched>('watched');
    const counted = page.locator('.counts dd').nth(1);
    expect(await counted.textContent()).toBe(REQUESTS.toLocaleString('en'));
    expect(await page.getByRole('status').filter({ hasText: 'Finished' }).count()).toBe(1);
    // What does not depend on the machine: how much the page draws, shows and keeps.
    const session = await context.newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    const elements = await page.evaluate<number>('document.querySelectorAll("*").length');
    expect(frames).toBeGreaterThan(0);
    expect(mostDrawn).toBeGreaterThan(0);
    expect(mostDrawn).toBeLessThan(MOST_DRAWN);
    expect(elements).toBeLessThan(MOST_ELEMENTS);
    expect(usedSize).toBeLessThan(MOST_BYTES);
    expect(complaints).toEqual([]);
    if (LONG === undefined) return;
    const sorted = [...late].sort((a, b) => a - b);
    const at = (part: number): string => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1);
    process.stdout.write(
      `longest task ${Math.round(longest)} ms; ${frames} frames, ${at(0.5)} ms each, 99% within ${at(0.99)} ms; ` +
        `at most ${mostDrawn} bars and columns a frame; ${elements} elements; ${(usedSize / 1e6).toFixed(1)} MB kept\n`,
    );
    expect(longest).toBeLessThan(LONGEST_TASK);
  });
});
