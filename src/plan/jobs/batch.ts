import * as E from 'fp-ts/Either';
import type { ChildBatch, Job } from '../../language/configuration/configuration';
import type { Fault } from '../../core/errors/errors';
import { keysOf } from '../../core/json/keys';
import { levelOf } from './placeholders';
import { fault } from '../../language/codec/checked';
import type { Checked } from '../../language/codec/checked';

/**
 * The batch of a child (docs/extensions/batches.md): something must differ within it, and nobody may ask for its item.
 */
export function checkBatch(job: Job): Checked<ChildBatch | undefined> {
  if (job.batch === undefined) return E.right(undefined);
  if (!keysOf(job.placeholders).some((name) => levelOf(name) === 1))
    return fault(`${job.path}.batch`, 'needs a placeholder of the parent item (level 1): there is nothing to batch');
  const faults = job.children.flatMap((child) => askingAbove(child, 2));
  return faults.length === 0 ? E.right(job.batch) : E.left(faults);
}

/** @param level how a placeholder of this child would ask for the one parent item that a batch has not */
function askingAbove({ path, placeholders, children }: Job, level: number): readonly Fault[] {
  const message = `level ${level} is no single item here: the job above is called for a batch of items`;
  const own = keysOf(placeholders).filter((name) => levelOf(name) === level);
  return [
    ...own.map((name) => ({ path: `${path}.placeholders.${name}`, message })),
    ...children.flatMap((child) => askingAbove(child, level + 1)),
  ];
}
