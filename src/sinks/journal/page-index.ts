import type { Checkpoint } from '../../core/model';
import { splitColumns } from '../../tables/run-columns';
import type { JournaledPlace } from './journal';
import { dataIn } from './records';
import type { JournalRecord } from './records';

/** What pages of one job have in common. */
interface Source {
  readonly number: number;
  readonly job: Checkpoint['job'];
  readonly place: Pick<JournaledPlace, 'run' | 'dataType' | 'path' | 'isPlain'>;
}

/** The rest of what is known of a page. Its offset is the end of the page before it in the same file. */
type Entry = readonly [
  source: number,
  length: number,
  sum: number,
  count: number,
  pages: number,
  call: readonly number[],
  extra: JournalRecord['extra'],
];

/** The number of pages that are kept as one text: objects would take several times the memory, and work of the garbage collector. */
const BLOCK = 1024;

/**
 * The pages of a journal in memory, in the order in which they were appended: some 50 bytes for a page, and those of its extra columns.
 *
 * @example const index = new PageIndex('out/.headwater/journal'); index.add(record); for (const { path } of index.places()) …
 */
export class PageIndex {
  readonly #sources = new Map<string, Source>();
  readonly #blocks: Buffer[] = [];
  #last: Entry[] = [];
  #superseded: { readonly size: number; readonly pages: ReadonlySet<number> } | undefined;

  /** @param folder the folder of the journal */
  constructor(private readonly folder: string) {}

  get #size(): number {
    return this.#blocks.length * BLOCK + this.#last.length;
  }

  /** @param record the record after those that were added before */
  add(record: JournalRecord): void {
    const { length, sum, count, checkpoint, extra } = record;
    this.#last.push([this.#sourceOf(record), length, sum, count, checkpoint.pages, checkpoint.call, extra]);
    if (this.#last.length < BLOCK) return;
    this.#blocks.push(Buffer.from(JSON.stringify(this.#last)));
    this.#last = [];
  }

  /** Returns the places of the pages that no later one supersedes. */
  *places(): Generator<JournaledPlace> {
    const superseded = this.#findSuperseded();
    const sources = [...this.#sources.values()];
    const ends = new Map<string, number>();
    let at = 0;
    for (const [number, length, sum, count, pages, call, added] of this.#entries()) {
      const { job, place } = sources[number] as Source;
      const offset = ends.get(place.path) ?? 0;
      ends.set(place.path, offset + length);
      if (superseded.has(at++)) continue;
      const checkpoint = { call, job, pages };
      yield { checkpoint, ...place, ...splitColumns(new Map(added)), count, offset, length, sum };
    }
  }

  /** Returns the entries that are there when the first is taken. */
  *#entries(): Generator<Entry> {
    for (const block of [...this.#blocks, [...this.#last]]) yield* entriesIn(block);
  }

  #sourceOf({ run, dataType, file, isPlain, checkpoint: { job } }: JournalRecord): number {
    const key = `${run} ${file} ${isPlain === true} ${job}`;
    const known = this.#sources.get(key);
    if (known !== undefined) return known.number;
    const number = this.#sources.size;
    const place = { run, dataType, path: dataIn(this.folder, file), ...(isPlain === true ? { isPlain } : {}) };
    this.#sources.set(key, { number, job, place });
    return number;
  }

  /** Finds pages by their number. */
  #findSuperseded(): ReadonlySet<number> {
    const size = this.#size;
    if (this.#superseded?.size === size) return this.#superseded.pages;
    const pages = new Set<number>();
    const isSuperseded = superseding();
    let at = size;
    for (const block of [this.#last, ...this.#blocks.toReversed()])
      for (const [, , , , number, call] of entriesIn(block).toReversed()) {
        at -= 1;
        if (isSuperseded({ call, pages: number })) pages.add(at);
      }
    this.#superseded = { size, pages };
    return pages;
  }
}

/**
 * Returns a function that is called with each page, from the last one to the first, and returns whether a later one supersedes it: the first
 * page of a call supersedes all earlier pages of this call and of the calls below it.
 *
 * @example const isSuperseded = superseding(); const left = checkpoints.toReversed().filter((page) => !isSuperseded(page));
 */
export function superseding(): (page: Pick<Checkpoint, 'call' | 'pages'>) => boolean {
  const begun = new Set<string>();
  return ({ call, pages }) => {
    let isSuperseded = false;
    let key = '';
    for (const part of call) {
      key = key === '' ? String(part) : `${key}.${part}`;
      isSuperseded ||= begun.has(key);
    }
    if (pages === 1) begun.add(key);
    return isSuperseded;
  };
}

const entriesIn = (block: Buffer | readonly Entry[]): readonly Entry[] =>
  Buffer.isBuffer(block) ? (JSON.parse(block.toString('utf8')) as readonly Entry[]) : block;
