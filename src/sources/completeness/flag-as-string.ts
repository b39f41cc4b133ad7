import type { Doubt } from '../../core/evidence';
import type { JobRun } from '../job-run';
import { flagValue } from '../stops';
import type { PageOutcome } from './page-outcome';

/** Strings that mean false, and that `nextPageFlag` takes for true, as it takes any other but an empty one and "0" (docs/language/stops.md#nextpageflag). */
const MEAN_FALSE = /^\s*(?:false|f|no|n|off|none|null)\s*$/i;

/** The doubt about a first page whose flag is a string that means false: it counts as true, and the pagination ends too early or too late. */
export function flagAsString({ plan }: JobRun, { reply, pages }: PageOutcome): Doubt | undefined {
  if (pages > 0) return undefined;
  for (const { nextPageFlag } of plan.stops) {
    const value = nextPageFlag === undefined ? undefined : flagValue(nextPageFlag, reply);
    if (nextPageFlag === undefined || typeof value !== 'string' || !MEAN_FALSE.test(value)) continue;
    const { path, field = '', stopOn } = nextPageFlag;
    const message =
      `The first page of ${plan.endpoint} has the string ${JSON.stringify(value)} in "${path ?? field}", which nextPageFlag reads: as any string but an empty ` +
      `one and "0" it counts as true, so that pagination ${stopOn ? 'ended there, and items may be missing' : 'does not end by it'}. ` +
      'Leave nextPageFlag out, and end the pagination by something else, such as "stopWhenEmpty": true.';
    return { code: 'FLAG_IS_STRING', level: 'warning', message };
  }
  return undefined;
}
