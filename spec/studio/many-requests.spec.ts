/** HEADWATER_STUDIO_REQUESTS=100000 is the long form: it takes some minutes. */
import type { Browser } from 'playwright-core';
import { describeInBrowser, launch, openPage } from './support';
import type { OpenPage } from './support';

const REQUESTS = Number(process.env['HEADWATER_STUDIO_REQUESTS'] ?? 1_000);
jest.setTimeout(60_000 + REQUESTS * 20);

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
    const { page, complaints } = opened;
    await page.evaluate(`
      window.longest = 0;
      window.frames = 0;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
      }).observe({ entryTypes: ['longtask'] });
      const count = () => { window.frames += 1; requestAnimationFrame(count); };
      requestAnimationFrame(count);
    `);
    await page.getByRole('tab', { name: 'Run', exact: true }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /Finished|Failed/ })
      .waitFor({ timeout: 30_000 + REQUESTS * 15 });
    const { longest, frames, heap } = await page.evaluate<{ longest: number; frames: number; heap: number }>(
      '({ longest: window.longest, frames: window.frames, heap: performance.memory.usedJSHeapSize })',
    );
    const count = await page.locator('.counts dd').nth(1).textContent();
    process.stdout.write(
      `longest task ${Math.round(longest)} ms, ${frames} frames, heap ${Math.round(heap / 1e6)} MB\n`,
    );
    expect(count).toBe(REQUESTS.toLocaleString('en'));
    expect(await page.getByRole('status').filter({ hasText: 'Finished' }).count()).toBe(1);
    // Generous: a machine may be busy. A page that kept a bar a request would take far longer, and far more.
    expect(longest).toBeLessThan(3_000);
    expect(frames).toBeGreaterThan(10);
    expect(heap).toBeLessThan(150_000_000);
    expect(complaints).toEqual([]);
  });
});
