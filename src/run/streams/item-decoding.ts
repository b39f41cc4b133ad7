/** Decodes the items of a run, page by page: what is invalid is an error, or is given away and counted. */
import { catchError, concat, map, of, pipe, throwError } from 'rxjs';
import type { MonoTypeOperatorFunction } from 'rxjs';
import { InvalidItemError } from '../../core/errors/invalid-item';
import type { RunEvent } from '../../core/events';
import type { Item, JobRef, Page } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { withoutBigints } from './bigints';
import type { Bigints } from './bigints';
import type { Decoding } from './decoder';

/** An item that does not decode. */
export interface InvalidItem {
  readonly job: JobRef;
  /** The number of its page in its call of the job, from 0. */
  readonly page: number;
  /** Its place in the page, from 0. */
  readonly position: number;
  /** The item as it came. */
  readonly item: Item;
  /** Why it does not decode, with secrets masked: `id: expected number, found a string`. */
  readonly reasons: readonly string[];
}

/** Takes the items that do not decode: a function, or a Subject. */
export type OnInvalid = ((invalid: InvalidItem) => void) | { readonly next: (invalid: InvalidItem) => void };

/** How the items of an extraction are decoded. */
export interface ItemDecodingPlan {
  /** The decoders of each job, by its id. */
  readonly byJob: ReadonlyMap<string, (value: unknown) => Decoding<unknown>>;
  readonly bigints: Bigints;
  readonly onInvalid?: OnInvalid | undefined;
}

/** Decodes the items of one run. */
export interface ItemDecoding {
  /**
   * Passes the events of a job on; those of pages with decoded items. Fails with an InvalidItemError unless somebody takes what is
   * invalid.
   */
  readonly decode: MonoTypeOperatorFunction<RunEvent>;
  /** What is to be told at the end of the run: how many items of each job were invalid. */
  readonly told: () => readonly RunEvent[];
}

type Invalid = Extract<RunEvent, { readonly type: 'items.invalid' }>;

/**
 * @param secrets those of the run
 * @example createItemDecoding({ byJob: new Map([['1', decode]]), bigints: 'bigint' }, secrets).decode(event)
 */
export function createItemDecoding({ byJob, bigints, onInvalid }: ItemDecodingPlan, secrets: Secrets): ItemDecoding {
  const invalid = new Map<string, Invalid>();
  const decodeItem = (item: Item, decode: ((value: unknown) => Decoding<unknown>) | undefined): Decoding<unknown> => {
    const plain = bigints === 'bigint' ? ({ ok: true, value: item } as const) : withoutBigints(item, bigints);
    return plain.ok && decode !== undefined ? decode(plain.value) : plain;
  };
  const refuse = ({ job, index }: Page, position: number, item: Item, because: readonly string[]): void => {
    const reasons = because.map((reason) => secrets.mask(reason));
    if (onInvalid === undefined) throw new InvalidItemError(job, index, position, reasons);
    const known = invalid.get(job.id) ?? { type: 'items.invalid', job: withoutPlaceholders(job), items: 0 };
    invalid.set(job.id, { ...known, items: known.items + 1 });
    const told: InvalidItem = { job, page: index, position, item, reasons };
    if (typeof onInvalid === 'function') onInvalid(told);
    else onInvalid.next(told);
  };
  const decodePage = (page: Page): Page => {
    const decode = byJob.get(page.job.id);
    if (decode === undefined && bigints === 'bigint') return page;
    const items: unknown[] = [];
    for (const [position, item] of page.items.entries()) {
      const result = decodeItem(item, decode);
      if (result.ok) items.push(result.value);
      else refuse(page, position, item, result.reasons);
    }
    // Copied with its getters: to read them here would make what nobody may ask for.
    const properties = { ...Object.getOwnPropertyDescriptors(page), items: { value: items, enumerable: true } };
    return Object.defineProperties({} as Page, properties);
  };
  return {
    decode: pipe(
      map((event) => (event.type === 'page.extracted' ? { ...event, page: decodePage(event.page) } : event)),
      catchError((error: unknown) => {
        const failure = throwError(() => error);
        if (!(error instanceof InvalidItemError) || error.job === undefined) return failure;
        return concat(of<RunEvent>({ type: 'job.failed', job: error.job, error: error.toJSON() }), failure);
      }),
    ),
    told: () => [...invalid.values()],
  };
}

const withoutPlaceholders = ({ id, path, endpoint, dataType }: JobRef): JobRef => ({ id, path, endpoint, dataType });
