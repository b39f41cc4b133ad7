import type { Reply } from '../core/model';
import type { FoundItems } from './items';
import type { JobRun } from './job-run';
import { graphqlErrors, refuseGraphqlErrors } from './pagination/graphql-errors';

/**
 * Errors of a GraphQL response (docs/language/graphql.md#errors): they may come beside a part of the data. That part is
 * taken where the job says that an incomplete one is worth a warning.
 *
 * @throws FatalError API_ERROR
 */
export function refuseErrors({ plan, ref, context, completeness }: JobRun, reply: Reply, { place }: FoundItems): void {
  const hasItems = place.kind === 'list' || place.kind === 'value';
  if (completeness !== 'warn' || !hasItems) {
    refuseGraphqlErrors(reply, plan.path);
    return;
  }
  const told = graphqlErrors(reply);
  if (told === undefined) return;
  const message = `${plan.path}: data are missing, since the API answers with errors beside them: ${told}`;
  context.report({ type: 'warning', code: 'INCOMPLETE', job: ref, message });
}
