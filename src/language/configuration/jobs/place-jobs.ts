import type { Job } from '../configuration';
import type { JobDraft } from './jobs';

/**
 * Gives jobs what depends on their place. Of jobs with equal ids in one array the later one replaces the earlier one at
 * the earlier place (docs/language/jobs.md#identity). A job without `requestLimit` takes that of its parent, a
 * top-level one that of `config`.
 *
 * @param path where the array stands, for example `config.jobs`
 */
export function placeJobs(drafts: readonly JobDraft[], path: string, requestLimit: number): readonly Job[] {
  const byId = new Map<string, Job>();
  drafts.forEach((draft, at) => byId.set(draft.id, placeJob(draft, `${path}[${at}]`, requestLimit)));
  return [...byId.values()];
}

function placeJob(draft: JobDraft, path: string, inheritedLimit: number): Job {
  const requestLimit = draft.requestLimit ?? inheritedLimit;
  return { ...draft, path, requestLimit, children: placeJobs(draft.children, `${path}.children`, requestLimit) };
}
