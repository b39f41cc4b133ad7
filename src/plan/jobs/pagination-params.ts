import * as E from 'fp-ts/Either';
import type { Job } from '../../config/configuration';
import type { Fault } from '../../errors';
import { isBlank } from '../../json/blank';
import { ownValue } from '../../json/keys';
import { isScalar } from '../../json/text';
import { shown } from '../../codec/show';
import type { ChosenPagination } from '../../sources/pagination/define';
import type { Checked } from '../../codec/checked';

const WHOLE = /^\s*\d+(\.0+)?\s*$/;

/**
 * Parameters of a job that pagination counts by (docs/language/pagination/offset.md, docs/language/pagination/pagenum.md):
 * literal ones are checked before the run.
 */
export function checkPaginationParams({ counts }: ChosenPagination, job: Job): Checked<void> {
  const faults = counts.flatMap((name): Fault[] => {
    const value = ownValue(job.params, name);
    // What is computed, or has a placeholder, is known when the job runs.
    if (value === undefined || isBlank(value) || !isScalar(value) || /[{}]/.test(String(value))) return [];
    if (typeof value !== 'boolean' && WHOLE.test(String(value))) return [];
    return [
      {
        path: `${job.path}.params.${name}`,
        message: `pagination needs an integer here, found ${shown(value, [name])}`,
      },
    ];
  });
  return faults.length === 0 ? E.right(undefined) : E.left(faults);
}
