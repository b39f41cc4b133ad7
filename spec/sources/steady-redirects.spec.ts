/** Redirects that every request of a job gets (docs/language/requests.md#redirects). */
import { adviceFor } from '../../src/sources/steady-redirects';
import { redirectTo } from '../support/answers';
import { outcomesOf, rows } from '../support/completeness';

const play = outcomesOf();
const pagination = { method: 'offset', limit: 5 };
const reported = (warnings: readonly string[]): readonly string[] =>
  warnings.filter((warning) => warning.startsWith('REDIRECTED_EACH'));

/** An API of so many items, which redirects the requests to `/items` that it is asked about. */
const leading =
  (count: number, isLed: (offset: number) => boolean) =>
  (url: URL): unknown => {
    const offset = Number(url.searchParams.get('offset') ?? 0);
    return url.pathname === '/items' && isLed(offset)
      ? redirectTo(`/items/${url.search}`)
      : { items: rows(0, count).slice(offset, offset + 5) };
  };

it('is told once a job, says what to write, and leaves the job complete', async () => {
  const always = leading(33, () => true);
  const { warnings, error, finished, items, requests } = await play(always, { pagination });
  expect([error, finished?.outcome, items.length, requests.length]).toEqual([undefined, 'complete', 33, 14]);
  expect(reported(warnings)).toEqual([
    'REDIRECTED_EACH config.jobs[0]: the API redirected each of the first 3 requests of this job in the same way, which doubles the requests. ' +
      'End the path of the endpoint with "/".',
  ]);

  const advised = await play(always, { pagination, jobs: [{ endpoint: 'items/', dataField: 'items' }] });
  expect([reported(advised.warnings), advised.items.length, advised.requests.length]).toEqual([[], 33, 7]);
});

it.each<[string, number, (offset: number) => boolean]>([
  ['two requests', 8, () => true],
  ['a first request that is not redirected', 33, (offset) => offset > 0],
  ['a second request that is not redirected', 33, (offset) => offset !== 5],
])('says nothing of %s', async (_, count, isLed) => {
  expect(reported((await play(leading(count, isLed), { pagination })).warnings)).toEqual([]);
});

it.each<[string, string, string | undefined]>([
  [
    'http://a.example/v1/items?n=1',
    'https://a.example/v1/items?n=1',
    '"https://a.example" in place of "http://a.example"',
  ],
  [
    'https://a.example/v1/items',
    'https://b.example/v2/items',
    '"https://b.example/v2" in place of "https://a.example/v1"',
  ],
  [
    'https://a.example/items',
    'https://a.example/things',
    '"https://a.example/things" in place of "https://a.example/items"',
  ],
  ['https://a.example/items/', 'https://a.example/items', 'Leave out the "/"'],
  ['http://a.example/items', 'https://a.example/items/', 'endpoint. End the path of the endpoint with "/".'],
  ['https://name:password@a.example/items', 'https://a.example/items', undefined],
  ['https://a.example/items', 'https://a.example/items?signature=1', undefined],
])('%s to %s: %s', (asked, led, advice) => {
  const given = adviceFor(asked, led);
  if (advice === undefined) expect(given).toBeUndefined();
  else expect(given).toContain(advice);
});
