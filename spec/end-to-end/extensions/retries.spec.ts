/** docs/extensions/retries.md; how runs end is in spec/end-to-end/errors-of-runs.spec.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '../../../src';
import type { RunEvent } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { asked, example, pagesOf } from './support';

describe('docs/extensions/retries.md', () => {
  let server: ApiServer | undefined;
  afterEach(() => server?.close());

  it('the configuration on the page is valid', () => {
    const page = readFileSync(join(__dirname, '../../../docs/extensions/retries.md'), 'utf8');
    const [, block = ''] = /^```json\n(.*?)^```$/ms.exec(page) ?? [];
    expect(validate(JSON.parse(block)).warnings).toEqual([]);
  });

  it('retries.json: a short delay that the API asks for is kept, a longer one ends the run', async () => {
    let calls = 0;
    server = await startServer(() => {
      calls += 1;
      return calls === 2 ? json([{ id: 1 }]) : json({}, 503, { 'retry-after': calls === 1 ? '1' : '3' });
    });
    const delays: unknown[] = [];
    const pages = await pagesOf(server, example('retries.json'), {
      onEvent: (event) => event.type === 'retry.scheduled' && delays.push(event.delayMilliseconds),
    });
    expect(pages.map(({ count }) => count)).toEqual([1]);
    expect(delays).toEqual([1000]);
    await expect(pagesOf(server, example('retries.json'))).rejects.toMatchObject({
      code: 'API_STATUS',
      recovery: 'retry',
      status: 503,
      retryAfterSeconds: 3,
    });
    expect(asked(server)).toHaveLength(3);
  });

  it('a delay of 0 is none; with plainRetries it is that of the language, which takes it for nothing said', async () => {
    let calls = 0;
    server = await startServer(() => ((calls += 1) % 2 === 0 ? json([]) : json({}, 503, { 'retry-after': '0' })));
    const config = { api: {}, config: { jobs: [{ endpoint: 'a' }] } };
    const delays: unknown[] = [];
    const onEvent = (event: RunEvent): unknown =>
      event.type === 'retry.scheduled' && delays.push(event.delayMilliseconds);
    await pagesOf(server, config, { onEvent });
    await pagesOf(server, config, { onEvent, plainRetries: true });
    expect(delays).toEqual([0, 1000]);
  });

  it.each([
    ['maxDelay', -1, 'a number of seconds, or 0'],
    ['maxDelay', 'soon', 'a number'],
    ['firstConnection', -5, 'a number of seconds, or 0'],
    ['jitter', 1.5, 'a number from 0 to 1'],
  ])('%s: %p is refused', (option, value, expected) => {
    const config = { api: { baseUrl: 'https://api.example', retryConfig: { [option]: value } }, config: { jobs: [] } };
    expect(() => validate(config)).toThrow(new RegExp(`api\\.retryConfig\\.${option}: expected ${expected}`));
  });
});
