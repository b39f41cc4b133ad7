import { isBlankData } from '../json/blank';
import { isObject, ownValue } from '../json/keys';
import { stringifyJson } from '../json/stringify';
import type { Reply } from '../model';
import type { StopsPlan } from '../plan/plan';
import { integerOf } from './pagination/integer';
import { replyValue } from './reply-value';

/** What the stops are judged by when a page has been taken. */
export interface StopFacts {
  readonly reply: Reply;
  /** Items and pages of this job run, this page included. */
  readonly items: number;
  readonly pages: number;
  /** Bytes of this job run before this page. */
  readonly volume: number;
  /** Unix seconds: the first request of this job run, and this moment. */
  readonly startedAt: number;
  readonly now: number;
}

/** Go on, with the bytes so far; or stop. */
export type Verdict =
  { readonly kind: 'go-on'; readonly volume: number } | { readonly kind: 'stop'; readonly because: string };

/**
 * Asks the common stops of a job (language 5.2) after a page: `limitStop`, `forceStop` (pages, time, volume),
 * `nextPageFlag`. The first that stops gives the log line (language 5.11).
 *
 * @param stops those of all places that apply to the job
 * @param facts with the volume of the verdict before; sizes are added up only where a volume is limited
 * @example
 * const facts = { reply: { response, data: [1, 2] }, items: 2, pages: 1, volume: 0, startedAt: 0, now: 5 };
 * checkStops([{ forceStop: { pages: 1 } }], facts); // { kind: 'stop', because: 'Force stopping: page limit … }
 */
export function checkStops(stops: readonly StopsPlan[], facts: StopFacts): Verdict {
  const isLimited = stops.some(({ forceStop }) => forceStop?.volume !== undefined);
  const volume = isLimited ? facts.volume + sizeOf(facts.reply) : facts.volume;
  for (const each of stops) {
    const because = limitReason(each, facts) ?? forceReason(each, facts, volume) ?? flagReason(each, facts);
    if (because !== undefined) return { kind: 'stop', because };
  }
  return { kind: 'go-on', volume };
}

/** Bytes of the minified JSON text. */
const sizeOf = ({ data }: Reply): number => (data === undefined ? 0 : Buffer.byteLength(stringifyJson(data)));

function limitReason({ limitStop }: StopsPlan, { reply, items }: StopFacts): string | undefined {
  if (limitStop === undefined) return undefined;
  const reached = (limit: string): string =>
    `Limit reached, stopping scrolling. Current count: ${items}, limit: ${limit}`;
  if ('count' in limitStop) return items < limitStop.count ? undefined : reached(`${limitStop.count}`);
  const limit = integerOf(replyValue(reply, limitStop.field));
  if (limit === undefined) return reached(`none, since '${limitStop.field}' of the response is no number`);
  return items < limit ? undefined : reached(`${limit}`);
}

function forceReason({ forceStop = {} }: StopsPlan, facts: StopFacts, volume: number): string | undefined {
  const { pages, seconds, volume: bytes } = forceStop;
  if (pages !== undefined && facts.pages >= pages) return `Force stopping: page limit reached (${pages} pages).`;
  if (seconds !== undefined && facts.startedAt + seconds <= facts.now)
    return `Force stopping: time limit reached (${seconds} seconds).`;
  if (bytes !== undefined && volume > bytes) return `Force stopping: volume limit reached (${bytes} bytes).`;
  return undefined;
}

function flagReason({ nextPageFlag }: StopsPlan, { reply }: StopFacts): string | undefined {
  if (nextPageFlag === undefined) return undefined;
  const { field, stopOn, ifNotSet } = nextPageFlag;
  const [first] = reply.raw?.path ?? [];
  const data = first === undefined || first === field ? reply.data : reply.raw?.around();
  const value = isObject(data) ? (ownValue(data, field) ?? undefined) : undefined;
  const flag = value === undefined ? ifNotSet : !isBlankData(value);
  return flag === stopOn ? `Stopping scrolling because '${field}' is '${flag}'` : undefined;
}
