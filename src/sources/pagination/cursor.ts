import type { CursorOptions } from '../../config/pagination';
import { FatalError } from '../../errors';
import { exactValueAt } from '../../json/path';
import { stringifyJson } from '../../json/stringify';
import type { Json } from '../../model';
import { integerOf, jsonInteger } from './integer';
import type { JobFacts, Paginator, Step } from './paginator';
import { goOn, stop } from './paginator';
import { withParams } from './params';

/**
 * Paging by the highest `idKey` of all items so far, or the lowest with `reverse` (language 5.7), until a page has no
 * items. The position is that value, before the increment.
 *
 * @throws FatalError API_SHAPE when the value of an item is not numeric
 */
export function cursor(options: CursorOptions, job: JobFacts): Paginator {
  const { idKey, param, reverse } = options;
  const increment = BigInt(options.increment);
  const furthest = (a: bigint, b: bigint): bigint => (a < b === reverse ? a : b);
  const valueOf = (item: Json): bigint => {
    const value = exactValueAt(item, idKey);
    const integer = integerOf(value);
    if (integer === undefined) throw notNumeric(job, idKey, value);
    return integer;
  };
  const first: Step = { change: { params: job.params }, position: null };
  const paged = (value: bigint): Step => ({
    change: { params: withParams(job.params, [[param, jsonInteger(value + increment)]]) },
    position: jsonInteger(value),
  });
  return {
    by: 'position',
    staysAtEnd: true,
    first,
    at: (position) => {
      const reached = integerOf(position);
      return reached === undefined ? first : paged(reached);
    },
    next: (arrival) => {
      const { step, count } = arrival;
      if (count === 0) return stop('No data in response, stopping scrolling.');
      const values = arrival.items.map(valueOf);
      const reached = integerOf(step.position);
      return goOn(paged((reached === undefined ? values : [reached, ...values]).reduce(furthest)));
    },
  };
}

const notNumeric = (job: JobFacts, idKey: string, value: Json | undefined): FatalError =>
  new FatalError(
    'API_SHAPE',
    `${job.path}: Cursor value '${stringifyJson(value ?? null)}' is not numeric. ` +
      `Every item needs a number at pagination.idKey "${idKey}".`,
  );
