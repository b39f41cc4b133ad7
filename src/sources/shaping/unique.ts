import { createHash } from 'node:crypto';
import { FatalError } from '../../core/errors/errors';
import { exactValueAt } from '../../core/json/path';
import { stringifyJson } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import type { Operation } from './cell';

/** Half of a SHA-256 for each key: equal ones of different keys are out of the question. */
const BYTES = 16;
/** What a set holds; it takes about 1 GB. */
const MOST_KEYS = 16_000_000;

/**
 * `unique` (docs/language/items.md#unique): the first of the items with equal keys. An item without a field of the key
 * is kept.
 *
 * @param most how many keys are known at most
 * @throws FatalError API_SHAPE from the operation, beyond that
 */
export function unique(paths: readonly string[], path: string, most = MOST_KEYS): Operation {
  const known = new Set<string>();
  return (cell) => {
    const values = paths.map((each) => exactValueAt(cell.item, each));
    if (!values.every((value): value is Json => value !== undefined && value !== null)) return [cell];
    const digest = createHash('sha256').update(stringifyJson(values)).digest().toString('latin1', 0, BYTES);
    if (known.has(digest)) return [];
    if (known.size >= most)
      throw new FatalError(
        'API_SHAPE',
        `${path}.unique: it knows ${most} keys, which is all that it can remember: let the destination merge by a primary key.`,
      );
    known.add(digest);
    return [cell];
  };
}
