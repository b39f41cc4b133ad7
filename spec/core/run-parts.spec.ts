import fc from 'fast-check';
import { ownsCall, partName, partsBelow } from '../../src/core/run-parts';
import type { RunPart } from '../../src/core/run-parts';

describe('partsBelow', () => {
  it.each([
    [1, [[0, 1]]],
    [100, [[0, 1]]],
    [
      101,
      [
        [0, 2],
        [1, 2],
      ],
    ],
    [
      250,
      [
        [0, 3],
        [1, 3],
        [2, 3],
      ],
    ],
  ])('shares the calls for %p items', (items, shares) => {
    const parts = partsBelow({ call: [0, 1], page: 4, items }, 100);
    expect(parts).toEqual(shares.map(([at, of]) => ({ kind: 'children', call: [0, 1], page: 4, share: { at, of } })));
  });
});

describe('partName', () => {
  it('brings parts into the order of the configuration, those that call children behind those that read their parents', () => {
    const inOrder: readonly RunPart[] = [
      { kind: 'job', call: [0, 2], below: false },
      { kind: 'job', call: [0, 10], below: true, share: { at: 0, of: 12 } },
      { kind: 'job', call: [0, 10], below: true, share: { at: 11, of: 12 } },
      { kind: 'job', call: [1, 0], below: false },
      { kind: 'children', call: [0, 2], page: 0, share: { at: 1, of: 2 } },
      { kind: 'children', call: [0, 2], page: 9, share: { at: 0, of: 1 } },
      { kind: 'children', call: [0, 2], page: 10, share: { at: 0, of: 1 } },
    ];
    const names = inOrder.map(partName);
    expect([...names].reverse().sort()).toEqual(names);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('ownsCall', () => {
  const alone: RunPart = { kind: 'job', call: [0, 1], below: true };
  const parents: RunPart = { kind: 'job', call: [0, 1], below: false };
  const windows: RunPart = { kind: 'job', call: [0, 1], below: false, share: { at: 1, of: 3 } };
  const children: RunPart = { kind: 'children', call: [0, 1], page: 2, share: { at: 1, of: 3 } };

  it.each<[string, RunPart, readonly number[], boolean]>([
    ['a job: its call', alone, [0, 1], true],
    ['a job: calls below it', alone, [0, 1, 0, 7, 3, 1], true],
    ['a job: another job', alone, [0, 2], false],
    ['a job: another iteration', alone, [1, 1], false],
    ['a job without children: its call', parents, [0, 1], true],
    ['a job without children: a call below it', parents, [0, 1, 0, 0], false],
    ['windows: the job that they divide', windows, [0, 1], true],
    ['windows: one of the share', windows, [0, 1, 0, 4], true],
    ['windows: one of another share', windows, [0, 1, 0, 3], false],
    ['windows: a child of one of the share', windows, [0, 1, 0, 4, 0, 0], false],
    ['children: the call of their parent', children, [0, 1], true],
    ['children: one of the share', children, [0, 1, 2, 7], true],
    ['children: one of another share', children, [0, 1, 2, 6], false],
    ['children: one of another page', children, [0, 1, 1, 7], false],
    ['children: a call below one of the share', children, [0, 1, 2, 7, 5, 5], true],
    ['children: another job', children, [0, 0], false],
  ])('%s', (_, part, key, owns) => expect(ownsCall(part, key)).toBe(owns));

  it('each call of a child belongs to one part', () => {
    const numbers = fc.integer({ min: 0, max: 1000 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), numbers, numbers, (items, page, number) => {
        const parts = partsBelow({ call: [0, 0], page, items }, 100);
        expect(parts.filter((part) => ownsCall(part, [0, 0, page, number]))).toHaveLength(1);
      }),
    );
  });
});
