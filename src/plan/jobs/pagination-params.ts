import * as E from 'fp-ts/Either';
import type { Job } from '../../language/configuration/configuration';
import type { Fault } from '../../core/errors/errors';
import { isBlank } from '../../core/json/blank';
import { isScalar } from '../../core/json/text';
import { shown } from '../../language/codec/show';
import type { ChosenPagination } from '../../language/parts/pagination/define';
import { misfit, overwritten, ownAt } from '../../language/parts/pagination/placed';
import { undeclaredVariables } from './graphql';
import type { Checked } from '../../language/codec/checked';

const WHOLE = /^\s*\d+(\.0+)?\s*$/;

/**
 * Parameters of a job that pagination counts by (docs/language/pagination/offset.md, docs/language/pagination/pagenum.md), and
 * what stands at or on the way to where it puts values: what is literal is checked before the run.
 */
export function checkPaginationParams(pagination: ChosenPagination, written: Job): Checked<void> {
  const { counts, places } = pagination;
  const { path: job, params, body, graphql } = written;
  const own = { params, ...(body === undefined ? {} : { body }), ...(graphql === undefined ? {} : { graphql }) };
  const inTheWay = places.flatMap((place): Fault[] => {
    const found = misfit(own, place) ?? overwritten(own, place);
    return found === undefined ? [] : [{ path: `${job}.${found.path}`, message: found.message }];
  });
  const noCounts = counts.flatMap((place): Fault[] => {
    const { value, path } = ownAt(own, place);
    // What is computed, or has a placeholder, is known when the job runs.
    if (value === undefined || isBlank(value) || !isScalar(value) || /[{}]/.test(String(value))) return [];
    if (typeof value !== 'boolean' && WHOLE.test(String(value))) return [];
    return [
      {
        path: `${job}.${path}`,
        message: `pagination needs an integer here, found ${shown(value, path.split('.'))}`,
      },
    ];
  });
  const faults = [...undeclaredVariables(pagination, written), ...inTheWay, ...noCounts];
  return faults.length === 0 ? E.right(undefined) : E.left(faults);
}
