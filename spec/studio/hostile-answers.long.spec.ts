/** Answers of an API that would break a page, or lead a person astray. */
import type { Page } from 'playwright-core';
import { scriptedApi } from '../../src/testing';
import { describeInBrowser, overflowOf, withBrowser } from './support';

const EVIL = '"><img src=x onerror="window.hacked = 1"><svg onload="window.hacked = 1">';
const wide = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`column_${at}`, at]));
const ANSWERS: Readonly<Record<string, string>> = {
  digits: '{"data": [{"id": 12345678901234567890, "price": 1.10}], "total": 90071992547409931}',
  direction: JSON.stringify({ data: [{ id: 1, name: 'a\u202egnp.exe' }], '\u202eyek': 'b\u2066c', [EVIL]: EVIL }),
  deep: `{"data": [{"id": 1}], "deep": ${'{"a":'.repeat(400)}1${'}'.repeat(400)}}`,
  wide: JSON.stringify({ data: [wide, wide], ...wide }),
  script: JSON.stringify({ data: [{ id: 1, [EVIL]: `${EVIL}<script>window.hacked = 1</script>` }], next: EVIL }),
  next: '{"data": [{"id": 1}], "next": "javascript:window.hacked=1", "more": "data:text/html,x"}',
  cut: `{"data": [${Array.from({ length: 9_000 }, (_, id) => `{"id": ${id}, "text": "${'x'.repeat(30)}"}`).join(',')}]}`,
  page: `<!doctype html><title>${EVIL}</title><script>window.hacked = 1</script>`,
  empty: '',
};
const api = scriptedApi(
  Object.entries(ANSWERS).map(([name, text]) => ({
    path: `/${name}`,
    answer: () => ({ text, headers: { 'content-type': name === 'page' ? 'text/html' : 'application/json' } }),
  })),
);

describeInBrowser('hostile answers', () => {
  const { open } = withBrowser();

  /** Shows a preview of an answer. */
  const show = async (name: string): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> => {
    const job = { endpoint: name, dataField: 'data' };
    const opened = await open(JSON.stringify({ api: { baseUrl: 'http://api.example' }, config: { jobs: [job] } }), {
      fetch: api.fetch,
    });
    const { page } = opened;
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByRole('button', { name: 'Preview', exact: true, disabled: false }).waitFor();
    return opened;
  };
  const bodyOf = (page: Page) => page.getByRole('region', { name: 'Response body' });

  it('keeps the digits of numbers', async () => {
    const { page } = await show('digits');
    await bodyOf(page).getByText('12345678901234567890').waitFor();
    expect(await bodyOf(page).textContent()).toMatch(/price: ?1\.10.*total: ?90071992547409931/s);
    await page.getByRole('region', { name: 'Table digits' }).getByText('12345678901234567890').waitFor();
  });

  it('shows marks that turn the direction of writing', async () => {
    const { page } = await show('direction');
    const text = (await bodyOf(page).textContent()) ?? '';
    expect(text).toContain('a\\u202egnp.exe');
    expect(text).toContain('\\u202eyek');
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });

  it('shows what is nested deeply and what is wide as far as anybody reads it', async () => {
    const deep = await show('deep');
    await bodyOf(deep.page).getByText('… nested more deeply').waitFor();
    expect(deep.complaints).toEqual([]);
  });

  it('shows the first of many keys and columns', async () => {
    const { page, complaints } = await show('wide');
    await bodyOf(page).getByRole('button', { name: '1,951 more' }).click();
    await bodyOf(page).getByText('1,501 more').waitFor();
    await page.getByText('1,900 more columns are not shown').waitFor();
    expect(await page.evaluate<number>('document.querySelectorAll("*").length')).toBeLessThan(20_000);
    expect([await overflowOf(page), complaints]).toEqual(['', []]);
  });

  it.each(['script', 'next', 'page', 'direction', 'cut', 'empty'])('runs nothing of the answer: %s', async (name) => {
    const { page, complaints } = await show(name);
    await page.waitForTimeout(100);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('.side :is(img, svg, script, iframe, a)').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'use as next page' }).count()).toBe(0);
    expect(complaints.filter((each) => !each.includes('422'))).toEqual([]);
  });
});
