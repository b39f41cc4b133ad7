/** Every status with every form of Retry-After. */
import { someOf } from '../../support/cases';
import { RETRY_AFTER } from './matrix/retry-after';
import type { RetryAfter } from './matrix/retry-after';
import { GOOD, RETRIED_STATUSES, FATAL } from './matrix/statuses';
import { useFastClock } from './support/clock';
import { outcomeOf } from './support/outcome';
import type { Outcome } from './support/outcome';
import { startRawServer } from './support/raw-server';
import type { RawServer } from './support/raw-server';
import { whole } from './support/wire';

useFastClock({ stands: true });
let server: RawServer | undefined;
afterEach(() => server?.goAway());

/** A run whose first request gets this status and the header, and whose others get three items. */
async function runFor(status: number, { value }: RetryAfter): Promise<Outcome> {
  const path = `/status-${status}`;
  const asked = (): number => server?.requests.filter(({ target }) => target === path).length ?? 0;
  const header = value(Date.now());
  answers.set(path, () =>
    asked() > 1 || status < 400
      ? whole('{"items":[{"id":1},{"id":2},{"id":3}]}', retryAfter(header), asked() > 1 ? 200 : status)
      : whole('{"error":"not now"}', retryAfter(header), status),
  );
  return outcomeOf({
    api: { baseUrl: `http://localhost:${server?.port ?? 0}`, http: { requestTimeout: 0 } },
    config: { jobs: [{ endpoint: path, dataField: 'items' }] },
  });
}

const answers = new Map<string, () => ReturnType<typeof whole>>();
const retryAfter = (value: string | undefined) => (value === undefined ? [] : [['Retry-After', value] as const]);
const start = async (): Promise<void> => {
  server = await startRawServer(({ target }) => answers.get(target)?.() ?? whole('', [], 404));
};

describe.each(someOf(RETRY_AFTER, 3))('Retry-After: $says', (form) => {
  it('a status that is repeated waits as long as it asks', async () => {
    await start();
    const outcomes = await Promise.all(RETRIED_STATUSES.map((status) => runFor(status, form)));
    for (const outcome of outcomes) {
      const { status, code, ids, pauses } = outcome;
      if (form.asks.kind === 'too-long') {
        expect({ status, code, ids, pauses }).toEqual({ status: 1, code: 'API_STATUS', ids: [], pauses: [] });
        continue;
      }
      expect({ status, code, ids }).toEqual({ status: 0, code: undefined, ids: [1, 2, 3] });
      expect(pauses).toHaveLength(1);
      const [least, most] =
        form.asks.kind === 'own' ? [700, 1000] : [form.asks.seconds * 1000, form.asks.seconds * 1000];
      expect(pauses[0]).toBeGreaterThanOrEqual(least);
      expect(pauses[0]).toBeLessThanOrEqual(most);
    }
  });

  it('any other status does not wait for it', async () => {
    await start();
    const fatal = await Promise.all(FATAL.map((status) => runFor(status, form)));
    expect(new Set(fatal.map(({ code, pauses }) => `${code ?? 'success'}, ${pauses.length} retries`))).toEqual(
      new Set(['API_STATUS, 0 retries']),
    );
    const good = await Promise.all(GOOD.map((status) => runFor(status, form)));
    expect(good.map(({ status, ids, pauses }) => ({ status, ids, pauses }))).toEqual(
      GOOD.map(() => ({ status: 0, ids: [1, 2, 3], pauses: [] })),
    );
  });
});
