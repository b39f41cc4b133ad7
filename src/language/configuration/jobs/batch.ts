import { isBlank } from '../../../core/json/scalars';
import type { Input } from '../../codec/codec';
import type { ChildBatch, ListStyle } from '../configuration';
import type { Finding, Path } from '../../codec/finding';
import { integerFrom, oneOf, text, valueOf } from '../../codec/primitives';
import { optional, withDefault } from '../../codec/record';

/** The keys of batches in a job (docs/language/jobs.md#batches). */
export const batchFields = {
  batch: optional(integerFrom(1), {
    about: 'How many parent items share one request.',
    example: 50,
  }),
  batchSeparator: withDefault(text, ',', {
    about: 'The separator of joined values.',
    example: ';',
  }),
  batchStyle: withDefault(oneOf('BatchStyle', ['join', 'list', 'repeat', 'brackets']), 'join', {
    about: 'How several values are sent.',
    example: 'repeat',
  }),
};

interface Written {
  readonly batch?: number;
  readonly batchSeparator: string;
  readonly batchStyle: ChildBatch['style'];
}

/** Returns the batch of a job, if it has one, and the other fields. */
export function withBatch<J extends Written>(
  job: J,
): Omit<J, keyof Written> & { readonly batch?: ChildBatch; readonly lists?: ListStyle } {
  const { batch: size, batchSeparator: separator, batchStyle: style, ...others } = job;
  return {
    ...others,
    ...(size === undefined ? {} : { batch: { size, separator, style } }),
    ...(style === 'repeat' || style === 'brackets' ? { lists: style } : {}),
  };
}

/** The styles of all arrays in parameters. */
const OF_LISTS: readonly ListStyle[] = ['repeat', 'brackets'];

/** Warns of batch options without a batch. */
export const batchNotes = (job: Input, path: Path): readonly Finding[] =>
  isBlank(valueOf(job, 'batch'))
    ? ['batchSeparator', 'batchStyle']
        .filter((key) => !isBlank(valueOf(job, key)) && !OF_LISTS.some((style) => style === valueOf(job, key)))
        .map((key) => ({ path: [...path, key], message: 'has no effect without "batch", the number of parent items' }))
    : [];
