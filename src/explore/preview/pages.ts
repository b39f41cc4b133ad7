/** The pages of a job as they may be shown. */
import type { Page, Request } from '../../core/model';
import { parseJson } from '../../core/json/parse';
import type { Json } from '../../core/model';
import type { JobPlan } from '../../plan/plan';
import { shownValue } from './bounded';
import type { Seen } from './collect';
import { foundKeys, foundOf } from './found';
import type { ExchangePreview, PagePreview, ResponsePreview } from './model';
import { moreOf } from './more';
import type { Secrets } from '../../core/secrets/secrets';
import { ENOUGH } from './sample';
import type { Decision, Sample } from './sample';

/** What was sent: as it was, to know what it was for, and as it may be shown. */
export interface Sent {
  readonly request: Request;
  readonly shown: ExchangePreview;
}

/** What pages are shown by. */
export interface Around extends Pick<Sample, 'decided'> {
  readonly secrets: Secrets;
  /** Items of each page, and rows of each table. */
  readonly items: number;
}

/** @param sent what was sent for the job */
export function pagePreviews(plan: JobPlan, seen: Seen, sent: readonly Sent[], around: Around): readonly PagePreview[] {
  let items = 0;
  const pages = seen.pages.flatMap((page, at): PagePreview[] => {
    const { count } = page.evidence?.shaped === undefined ? page : { count: page.evidence.shaped.arrived };
    items += count;
    const shown = shownOf(page.reply.response.request, sent);
    if (shown?.response === undefined) return [];
    const { reply } = page;
    const keys = foundKeys(plan, reply);
    const isLast = at === seen.pages.length - 1;
    const decision = around.decided(plan.path, reply);
    return [
      {
        ...asReceived(shown, shown.response),
        found: foundOf(plan, keys, reply.data),
        items: firstItems(page, around),
        count,
        next: nextOf(decision, isLast ? seen.because : undefined, around.secrets),
        ...moreOf(plan, { reply, keys, count, items, pages: at + 1 }),
      },
    ];
  });
  const failed = seen.error === undefined ? undefined : sent.at(-1)?.shown;
  const isShown = seen.pages.some(({ reply }) => shownOf(reply.response.request, sent) === failed);
  if (failed?.response === undefined || isShown) return pages;
  return [...pages, unread(plan, failed, failed.response, seen.error?.message ?? '')];
}

const asReceived = (
  { request }: ExchangePreview,
  response: ResponsePreview,
): Pick<PagePreview, 'request' | 'response'> => ({
  request,
  response,
});

/** A response that the job failed over. */
const unread = (plan: JobPlan, failed: ExchangePreview, response: ResponsePreview, because: string): PagePreview => ({
  ...asReceived(failed, response),
  found: { ...foundOf(plan, undefined, dataIn(response)), path: plan.items.path ?? '' },
  ...{ items: [], count: 0, next: { because }, more: 'unknown', moreBecause: 'The response could not be used.' },
});

/** Of a body that was cut nothing is known. */
function dataIn({ body, isCut }: ResponsePreview): Json | undefined {
  if (isCut) return undefined;
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}

/** What was answered with a response: of several attempts the last. */
const shownOf = ({ trace, url }: Request, sent: readonly Sent[]): ExchangePreview | undefined =>
  sent.findLast(({ request }) =>
    trace === undefined
      ? request.url === url
      : request.trace?.request === trace.request && request.trace.attempt === trace.attempt,
  )?.shown;

const firstItems = ({ items }: Page, { items: most, secrets }: Around): readonly Json[] =>
  items.slice(0, most).map((item) => shownValue(item, secrets));

/** @param stopped why the engine went no further; absent: it did */
function nextOf(decision: Decision | undefined, stopped: string | undefined, secrets: Secrets): PagePreview['next'] {
  if (stopped !== undefined && stopped !== ENOUGH) return { because: secrets.mask(stopped) };
  if (decision === undefined) return { because: 'The job ends here.' };
  if (decision.next.kind === 'stop') return { because: secrets.mask(decision.next.because) };
  const because = 'The pagination goes on.';
  if (decision.request === undefined) return { because };
  const { method, url, body } = decision.request;
  const sent = { method, url: secrets.mask(url), ...(body === undefined ? {} : { body: secrets.maskValues(body) }) };
  return { request: sent, because };
}
