/** Small pages are written together; what was written when a run ends, whatever ends it. */
import type { DurableSink, WritePage } from '../../../src/core/durable-sink';
import type { Page } from '../../../src/core/model';
import { createEvidenceTracker } from '../../../src/sources/completeness/judgement';
import { createProgressTracker } from '../../../src/run/state/progress';
import type { SinkState } from '../../../src/run/deliver/sink-progress';
import { writePages } from '../../../src/run/deliver/write-pages';
import { aPageOf } from '../../support/durable';
import { aResponse } from '../../support/requests';

/** A page whose response has so many bytes. */
const page = (number: number, bytes = 100): Page => ({
  ...aPageOf('items', [{ id: number }], { checkpoint: { pages: number } }),
  reply: { response: aResponse({ body: Buffer.alloc(bytes) }), data: [] },
});

/** A sink in memory: the numbers of the pages of each write. */
function aSink(changes: { readonly fails?: (numbers: readonly number[]) => boolean; readonly isAlone?: true } = {}) {
  const writes: (readonly number[])[] = [];
  const take = (pages: readonly Page[]): Promise<void> => {
    const numbers = pages.map(({ checkpoint }) => checkpoint.pages);
    if (changes.fails?.(numbers) === true) return Promise.reject(new Error(`page ${numbers.join()} does not fit`));
    writes.push(numbers);
    return Promise.resolve();
  };
  const one = (single: Page): Promise<void> => take([single]);
  const write: WritePage = changes.isAlone === true ? one : Object.assign(one, { together: take });
  const sink: DurableSink = {
    name: 'memory',
    open: () => Promise.resolve({ state: {} }),
    begin: () => Promise.resolve(),
    write,
    commit: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  };
  const work: SinkState = { sink, book: createProgressTracker(), evidence: createEvidenceTracker(), isDone: false };
  return { writes, work };
}

interface Source {
  readonly pages: readonly Page[];
  /** What is thrown behind them. */
  readonly error?: Error;
  /** How many milliseconds there are between two of them. */
  readonly pause?: number;
}

async function* from({ pages, error, pause = 0 }: Source): AsyncGenerator<Page, void, void> {
  for (const each of pages) {
    yield each;
    if (pause > 0) await jest.advanceTimersByTimeAsync(pause);
  }
  if (error !== undefined) throw error;
}

const numbered = (count: number, bytes?: number): readonly Page[] =>
  Array.from({ length: count }, (_, at) => page(at + 1, bytes));
const ignore = (): void => undefined;

describe('small pages', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] }));
  afterEach(() => jest.useRealTimers());

  it('are written together, in their order, up to a hundred', async () => {
    const { writes, work } = aSink();
    await expect(writePages(from({ pages: numbered(250) }), [work], ignore)).resolves.toEqual({});
    expect(writes.map((numbers) => numbers.length)).toEqual([100, 100, 50]);
    expect(writes.flat()).toEqual(numbered(250).map(({ checkpoint }) => checkpoint.pages));
  });

  it('are written when they have 256 KiB', async () => {
    const { writes, work } = aSink();
    await writePages(from({ pages: numbered(20, 32 * 1024) }), [work], ignore);
    expect(writes.map((numbers) => numbers.length)).toEqual([8, 8, 4]);
  });

  it('wait ten milliseconds at most', async () => {
    const { writes, work } = aSink();
    await writePages(from({ pages: numbered(6), pause: 5 }), [work], ignore);
    expect(writes).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
  });

  it('go before a large one, which is safe before the next is taken', async () => {
    const { writes, work } = aSink();
    const pages = [page(1), page(2), page(3, 40_000), page(4)];
    const safe: number[] = [];
    const source = async function* (): AsyncGenerator<Page, void, void> {
      for (const each of pages) {
        safe.push(writes.flat().length);
        yield await Promise.resolve(each);
      }
    };
    await writePages(source(), [work], ignore);
    expect(writes).toEqual([[1, 2, 3], [4]]);
    expect(safe).toEqual([0, 0, 0, 3]);
  });

  it('go one by one into a sink that takes them alone, and into all others beside it', async () => {
    const [alone, together] = [aSink({ isAlone: true }), aSink()];
    await writePages(from({ pages: numbered(3) }), [alone.work, together.work], ignore);
    expect([alone.writes, together.writes]).toEqual([
      [[1], [2], [3]],
      [[1], [2], [3]],
    ]);
  });

  it('are safe when the run fails behind them, before that is told', async () => {
    const { writes, work } = aSink();
    const error = new Error('the API is gone');
    await expect(writePages(from({ pages: numbered(3), error }), [work], ignore)).resolves.toEqual({
      failure: { error },
    });
    expect(writes).toEqual([[1, 2, 3]]);
  });

  it('end the run where they cannot be written, and nothing is written behind them', async () => {
    const { writes, work } = aSink({ fails: (numbers) => numbers.includes(150) });
    let isOver = false;
    const source = async function* (): AsyncGenerator<Page, void, void> {
      try {
        yield* numbered(400);
      } finally {
        isOver = await Promise.resolve(true);
      }
    };
    await expect(writePages(source(), [work], ignore)).rejects.toThrow('does not fit');
    expect(writes.map((numbers) => numbers.length)).toEqual([100]);
    expect(isOver).toBe(true);
  });

  it('end the run with the next page where the time has written them, and they did not fit', async () => {
    const { writes, work } = aSink({ fails: (numbers) => numbers.includes(2) });
    await expect(writePages(from({ pages: numbered(9), pause: 6 }), [work], ignore)).rejects.toThrow('does not fit');
    expect(writes).toEqual([]);
  });
});
