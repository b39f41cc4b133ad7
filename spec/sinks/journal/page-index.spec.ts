import fc from 'fast-check';
import { PageIndex } from '../../../src/sinks/journal/page-index';
import type { JournalRecord } from '../../../src/sinks/journal/records';
import { runsOf } from '../../support/cases';

const DATA_TYPES = ['user', 'order'];

/** Records of pages that follow one another in two files. */
const records = fc
  .array(
    fc.record({
      file: fc.nat(1),
      run: fc.nat(1),
      length: fc.nat(100),
      sum: fc.nat(2 ** 32 - 1),
      count: fc.nat(5),
      isPlain: fc.boolean(),
      call: fc.constantFrom([0], [0, 1], [0, 1, 0, 0], [0, 10], [1]),
      pages: fc.integer({ min: 1, max: 3 }),
      added: fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), { maxLength: 2 }),
    }),
    { maxLength: 40 },
  )
  .map((all) => {
    const ends = [0, 0];
    return all.map(({ file, call, pages, isPlain, added, ...numbers }): JournalRecord => {
      const offset = ends[file] as number;
      ends[file] = offset + numbers.length;
      const checkpoint = { call, job: `job ${file}`, pages, items: 7, volume: 8, parents: '{}\n' };
      const dataType = DATA_TYPES[file] as string;
      const unique = [...new Map(added)];
      return {
        ...numbers,
        file,
        dataType,
        offset,
        safe: 9,
        extra: unique,
        checkpoint,
        ...(isPlain ? { isPlain } : {}),
      };
    });
  });

const placeOf = ({ checkpoint: { call, job, pages }, extra, file, ...record }: JournalRecord) => ({
  ...{ run: record.run, dataType: record.dataType, count: record.count, extra: new Map(extra) },
  ...{ path: `journal/${file}.data`, offset: record.offset, length: record.length, sum: record.sum },
  checkpoint: { call, job, pages },
  ...(record.isPlain === true ? { isPlain: true } : {}),
});

const indexOf = (all: readonly JournalRecord[]): PageIndex => {
  const index = new PageIndex('journal');
  for (const record of all) index.add(record);
  return index;
};

/** A page of a call of its own. */
const aRecord = (at: number, pages = 1): JournalRecord => ({
  ...{ run: 0, dataType: 'user', file: 0, offset: 2 * at, length: 2, sum: at, count: 1, safe: 0, extra: [['id', 'é']] },
  checkpoint: { call: [0, at], job: 'j', pages, items: 1, volume: 0 },
});

describe('PageIndex', () => {
  it('gives the places of records, but of those that a later first page of their call or of one above supersedes', () => {
    fc.assert(
      fc.property(records, (all) => {
        const isBelow = (call: readonly number[], above: readonly number[]): boolean =>
          above.every((number, at) => call[at] === number);
        const left = all.filter(
          ({ checkpoint: { call } }, at) =>
            !all.slice(at + 1).some(({ checkpoint: later }) => later.pages === 1 && isBelow(call, later.call)),
        );
        expect([...indexOf(all).places()]).toEqual(left.map(placeOf));
      }),
      { numRuns: runsOf(200) },
    );
  });

  it('is the same for many pages, which it packs', () => {
    const all = Array.from({ length: 3000 }, (_, at) => aRecord(at));
    const index = indexOf(all);
    expect([...index.places()]).toEqual(all.map(placeOf));
    const again = { ...aRecord(0), offset: 6000 };
    index.add(again);
    expect([...index.places()]).toEqual([...all.slice(1), again].map(placeOf));
  });

  it('gives what is there when it is read, and what comes later the next time', () => {
    const index = indexOf([aRecord(0), aRecord(1)]);
    const places = index.places();
    expect(places.next().value).toEqual(placeOf(aRecord(0)));
    index.add(aRecord(2));
    expect([...places]).toEqual([placeOf(aRecord(1))]);
    expect([...index.places()]).toHaveLength(3);
  });
});
