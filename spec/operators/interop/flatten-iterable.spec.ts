import { flattenIterable } from '../../../src/operators/interop/flatten-iterable';

async function* inPages(...pages: readonly (readonly number[])[]): AsyncGenerator<readonly number[], void> {
  for (const page of pages) yield await Promise.resolve(page);
}
const items = (pages: AsyncIterable<readonly number[]>): AsyncIterable<number> =>
  flattenIterable(pages, (page) => page);
async function all(iterable: AsyncIterable<number>): Promise<number[]> {
  const seen: number[] = [];
  for await (const item of iterable) seen.push(item);
  return seen;
}

describe('flattenIterable', () => {
  it.each<[string, number[][], number[]]>([
    ['no page', [], []],
    ['empty pages', [[], []], []],
    ['one item', [[1]], [1]],
    ['many pages', [[1, 2], [], [3]], [1, 2, 3]],
  ])('%s', async (_, pages, expected) => {
    expect(await all(items(inPages(...pages)))).toEqual(expected);
  });

  it('asks for a page only when the one before is used up', async () => {
    let asked = 0;
    const pages: AsyncIterable<readonly number[]> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: false, value: [(asked += 1), 0] }) }),
    };
    const iterator = items(pages)[Symbol.asyncIterator]();
    expect(asked).toBe(0);
    await iterator.next();
    await iterator.next();
    expect(asked).toBe(1);
    await iterator.next();
    expect(asked).toBe(2);
  });

  it('answers calls that come together in order', async () => {
    const iterator = items(inPages([1, 2], [3]))[Symbol.asyncIterator]();
    const answers = await Promise.all([iterator.next(), iterator.next(), iterator.next(), iterator.next()]);
    expect(answers.map(({ value }) => value as unknown)).toEqual([1, 2, 3, undefined]);
  });

  it('return() reaches the pages while a next() is under way, and settles it', async () => {
    let release: ((result: IteratorReturnResult<undefined>) => void) | undefined;
    const returned = jest.fn(() => {
      const done = { done: true as const, value: undefined };
      release?.(done);
      return Promise.resolve(done);
    });
    const pages: AsyncIterable<readonly number[]> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise((resolve) => (release = resolve)), return: returned }),
    };
    const iterator = items(pages)[Symbol.asyncIterator]();
    const pending = iterator.next();
    await Promise.resolve();
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
    expect(returned).toHaveBeenCalledTimes(1);
    expect(await pending).toEqual({ done: true, value: undefined });
  });

  it('passes an error on, after the items before it', async () => {
    async function* failing(): AsyncGenerator<readonly number[], void> {
      yield await Promise.resolve([1]);
      throw new Error('no more');
    }
    const iterator = items(failing())[Symbol.asyncIterator]();
    expect(await iterator.next()).toEqual({ done: false, value: 1 });
    await expect(iterator.next()).rejects.toThrow('no more');
  });

  it('passes on what itemsOf throws', async () => {
    const broken = flattenIterable(inPages([1]), (): number[] => {
      throw new Error('unreadable');
    });
    await expect(all(broken)).rejects.toThrow('unreadable');
  });
});
