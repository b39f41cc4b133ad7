/** What the pagination of a job has to do with its GraphQL document (docs/language/graphql.md). */
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Job } from '../../language/configuration/configuration';
import { notAVariable } from '../../language/configuration/jobs/graphql';
import type { Fault } from '../../core/errors/errors';
import { readAt } from '../../language/codec/codec';
import { toFaults } from '../../language/codec/finding';
import { anyKey } from '../../language/codec/unknown-key';
import { fault } from '../../language/codec/checked';
import type { Checked } from '../../language/codec/checked';
import type { Parts } from '../../language/parts/parts';
import type { ChosenPagination } from '../../language/parts/pagination/define';
import { memberOf } from '../../language/parts/pagination/placed';

const NONE = 'none';

/**
 * The pagination of a job with a document: where the configuration names none, the document itself may ask for the next
 * page, by `pageInfo` and an argument `after`.
 */
export function documentPagination(
  chosen: ChosenPagination,
  { path, graphql }: Job,
  { pagination }: Pick<Parts, 'pagination'>,
): Checked<ChosenPagination> {
  const connection = pagination.get('connection');
  const pages = graphql?.connection;
  if (chosen.method !== NONE || pages === undefined || !pages.asksForNext || connection === undefined)
    return E.right(chosen);
  if (pages.after === undefined)
    return fault(
      `${path}.query`,
      `asks for pageInfo of ${pages.path.join('.')}, but nothing can ask for the next page: let pageInfo have endCursor, declare a variable such as $after, and pass it as the argument "after". For the first page alone, leave hasNextPage out`,
    );
  const options = { pageInfo: [...pages.path, 'pageInfo'].join('.'), afterParam: [pages.after] };
  return pipe(
    readAt(connection.codec(anyKey), options, [path, 'query']),
    E.mapLeft((found) => toFaults(found, undefined)),
  );
}

/** Values of the pagination that the document does not take: it would give its first page again and again. */
export function undeclaredVariables({ method, places }: ChosenPagination, { path, graphql }: Job): readonly Fault[] {
  if (graphql === undefined || method === NONE) return [];
  const at = `${path}.query`;
  if (places.length === 0)
    return [{ path: at, message: `cannot be paged by the method ${method}, which sets no variable` }];
  return places.flatMap((place) => {
    const member = memberOf(place, { graphql });
    const [name] = member === undefined ? [] : [member].flat();
    if (name === undefined || graphql.variables.includes(name)) return [];
    const message = `the pagination (${method}) has a value for a variable that is not there: ${notAVariable(name, graphql.variables)}. Every page would be the first, so declare it, or name another variable in api.pagination`;
    return [{ path: at, message }];
  });
}
