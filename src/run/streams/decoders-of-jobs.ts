import type { Item } from '../../core/model';
import type { IterationPlan } from '../../plan/plan';
import type { Bigints } from './bigints';
import { chosenJobs } from './chosen-jobs';
import { decoding } from './decoder';
import type { DecodedBy, Decoder } from './decoder';
import type { ItemDecodingPlan, OnInvalid } from './item-decoding';

/** Decoders by the names of jobs: their `id`, or else their `dataType`, or else their endpoint. */
export type ItemDecoders = Readonly<Record<string, Decoder<unknown>>>;

/** No job has a decoder. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- it has no keys, which Record<never, …> would lose
export type NoDecoders = {};

/** The items of an extraction with these decoders: those of jobs without one stay JSON. */
export type ItemOf<D extends ItemDecoders> = [keyof D] extends [never] ? Item : Item | DecodedBy<D[keyof D]>;

/** The items of a job. */
export type ItemOfJob<D extends ItemDecoders, Name extends string> = Name extends keyof D ? DecodedBy<D[Name]> : Item;

/** What an application asks for its items. */
export interface ItemOptions<D extends ItemDecoders = NoDecoders> {
  /**
   * Decoders for the items of jobs, by the `id` of the job, or else its `dataType`, or else its endpoint: schemas of zod, valibot
   * or ArkType, codecs of io-ts, anything with `parse` or `decode`. Items of other jobs stay JSON.
   */
  readonly items?: D;
  /**
   * Takes the items that do not decode, as a function or a Subject; they are left out of pages, and counted in the event
   * `items.invalid`. Default: the first one ends the run with an `InvalidItemError`.
   */
  readonly onInvalid?: OnInvalid;
  /**
   * What items have in place of integers beyond 2^53, before they are decoded: a `bigint`, a `string` of its digits, or a
   * `number`, where an item with an integer that no number is equal to is invalid. Default `bigint`.
   */
  readonly bigints?: Bigints;
}

/**
 * How the items of a run are decoded; `undefined`: they stay as they came.
 *
 * @throws RangeError when no job has the name; TypeError for what is no decoder
 */
export function decodingOf(
  iterations: readonly IterationPlan[],
  { items = {}, onInvalid, bigints = 'bigint' }: ItemOptions<ItemDecoders>,
): ItemDecodingPlan | undefined {
  const byJob = new Map(
    Object.entries(items).flatMap(([name, decoder]) => {
      const place = `options.items[${JSON.stringify(name)}]`;
      const decode = decoding(decoder, place);
      return [...chosenJobs(iterations, name, place).ids].map((id) => [id, decode] as const);
    }),
  );
  return byJob.size === 0 && bigints === 'bigint' ? undefined : { byJob, bigints, onInvalid };
}
