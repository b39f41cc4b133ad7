import type { Doubt } from '../../core/evidence';
import type { Reply } from '../../core/model';
import type { JobRun } from '../job-run';
import { nextPageSign } from './next-page-sign';

/** The doubt about an empty page that came again, where the API says with it that there is more. */
export function emptyPageAgain({ plan }: JobRun, pages: number, reply: Reply): Doubt | undefined {
  const sign = nextPageSign(reply, []);
  if (sign?.isFlag !== true) return undefined;
  return {
    code: 'NEXT_PAGE_NOT_TAKEN',
    level: 'error',
    message:
      `Page ${pages + 1} of ${plan.endpoint} is as empty as the page before, although the API says with ${sign.where} that ` +
      `there is more: pagination does not lead on. Check api.pagination; "completeness": "warn" in the job takes it as the end.`,
  };
}
