import type { Response } from '../model';
import type { AcceptedPage } from './checkpoint';
import type { Ruled } from './job-run';
import { NOTHING_FOUND } from './items';

/**
 * The empty page that ends a call in place of a response that a rule takes for one without items
 * (docs/language/responses.md#rules): its checkpoint tells a resumed run that the call is over. Where that is not its first
 * page, or the rule says `stop`, the API may have more.
 *
 * @param pages those of the call before
 */
export function ruledPage(response: Response, { kind, because }: Ruled, pages: number): AcceptedPage {
  const isWanted = kind === 'stop' || pages > 0;
  return {
    reply: { response, data: undefined },
    found: NOTHING_FOUND,
    next: { kind: 'stop', because, isWanted },
    // What its items are like, or where they would be, is not known from it.
    evidence: { unmet: [], ...(isWanted ? { stopped: true } : { skipped: because }) },
  };
}
