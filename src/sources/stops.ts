import { isBlankData } from '../core/json/scalars';
import { isObject, ownValue } from '../core/json/objects';
import { stringifyJson } from '../core/json/stringify';
import type { Json, Reply } from '../core/model';
import type { StopsPlan } from '../plan/plan';
import { integerOf, responseValue, totalPlaceText, totalValue } from './response-values';

/** The facts by which the stops decide after a page. */
export interface StopFacts {
  readonly reply: Reply;
  /** The number of items and pages of this call, this page included. */
  readonly items: number;
  readonly pages: number;
  /** The number of items of this page. */
  readonly count: number;
  /** The bytes of this call before this page. */
  readonly volume: number;
  /** Unix seconds of the first request of this call, and the current time. */
  readonly startedAt: number;
  readonly now: number;
}

/** The decision of the stops: to continue, with the bytes so far, or to stop. */
export type Verdict =
  | { readonly kind: 'go-on'; readonly volume: number }
  | {
      readonly kind: 'stop';
      readonly because: string;
      /**
       * `wanted`: the configuration wants no more. `ended`: the API has no more, as the configuration reads it. `counted`: the same, by a
       * number of items. `unsure`: the response lacks the value that decides.
       */
      readonly why: 'wanted' | 'ended' | 'counted' | 'unsure';
    };

type Stop = Extract<Verdict, { readonly kind: 'stop' }>;

/**
 * Checks the common stops of a job (docs/language/stops.md) after a page: `limitStop`, `forceStop` (pages, time, volume), `nextPageFlag`,
 * `stopWhenEmpty`. The first one that stops gives the log line.
 *
 * @param stops the stops of all places that apply to the job
 * @param facts with the volume of the verdict before; sizes are added up only where a volume is limited
 * @example
 * const facts = { reply: { response, data: [1, 2] }, items: 2, count: 2, pages: 1, volume: 0, startedAt: 0, now: 5 };
 * checkStops([{ forceStop: { pages: 1 } }], facts); // { kind: 'stop', why: 'wanted', because: 'Force stopping: … }
 */
export function checkStops(stops: readonly StopsPlan[], facts: StopFacts): Verdict {
  const isLimited = stops.some(({ forceStop }) => forceStop?.volume !== undefined);
  const volume = isLimited ? facts.volume + sizeOf(facts.reply) : facts.volume;
  for (const each of stops) {
    const stop =
      limitReason(each, facts) ??
      forceReason(each, facts, volume) ??
      flagReason(each, facts) ??
      emptyReason(each, facts);
    if (stop !== undefined) return stop;
  }
  return { kind: 'go-on', volume };
}

/** Returns the verdict of {@link checkStops}; most jobs have no stops, and no facts are gathered for them. */
export const verdictOf = (
  stops: readonly StopsPlan[],
  volume: number,
  facts: () => Omit<StopFacts, 'volume'>,
): Verdict => (stops.length === 0 ? { kind: 'go-on', volume } : checkStops(stops, { ...facts(), volume }));

/** Returns the bytes of the minified JSON text. */
const sizeOf = ({ data }: Reply): number => (data === undefined ? 0 : Buffer.byteLength(stringifyJson(data)));

const stopping = (why: Stop['why'], because: string): Stop => ({ kind: 'stop', why, because });

function limitReason({ limitStop }: StopsPlan, { reply, items }: StopFacts): Stop | undefined {
  if (limitStop === undefined) return undefined;
  const reached = (limit: string): string =>
    `Limit reached, stopping scrolling. Current count: ${items}, limit: ${limit}`;
  if ('count' in limitStop)
    return items < limitStop.count ? undefined : stopping('wanted', reached(`${limitStop.count}`));
  const limit = integerOf(totalValue(reply, limitStop));
  if (limit === undefined) {
    const place = 'path' in limitStop ? `'${limitStop.path}' of the response` : totalPlaceText(limitStop);
    return stopping('unsure', reached(`none, since ${place} is no number`));
  }
  return items < limit ? undefined : stopping('counted', reached(`${limit}`));
}

function forceReason({ forceStop = {} }: StopsPlan, facts: StopFacts, volume: number): Stop | undefined {
  const { pages = Infinity, because, seconds = Infinity, volume: bytes = Infinity } = forceStop;
  if (facts.pages >= pages)
    return stopping('wanted', because ?? `Force stopping: page limit reached (${pages} pages).`);
  if (facts.startedAt + seconds <= facts.now)
    return stopping('wanted', `Force stopping: time limit reached (${seconds} seconds).`);
  if (volume > bytes) return stopping('wanted', `Force stopping: volume limit reached (${bytes} bytes).`);
  return undefined;
}

function flagReason({ nextPageFlag }: StopsPlan, { reply }: StopFacts): Stop | undefined {
  if (nextPageFlag === undefined) return undefined;
  const { field, path, stopOn, ifNotSet } = nextPageFlag;
  const value = flagValue(nextPageFlag, reply);
  const flag = value === undefined ? ifNotSet : !isBlankData(value);
  if (flag !== stopOn) return undefined;
  return stopping(
    value === undefined ? 'unsure' : 'ended',
    `Stopping scrolling because '${path ?? field}' is '${flag}'`,
  );
}

/** Returns the value of a response in the field of a flag; `undefined` also for `null`. */
const flagValue = (
  { field, path }: NonNullable<StopsPlan['nextPageFlag']>,
  reply: Reply,
): Exclude<Json, null> | undefined =>
  (path === undefined ? fieldOf(reply, field ?? '') : responseValue(reply, path)) ?? undefined;

function fieldOf(reply: Reply, field: string): Json | undefined {
  const [first] = reply.raw?.path ?? [];
  const data = first === undefined || first === field ? reply.data : reply.raw?.around();
  return isObject(data) ? ownValue(data, field) : undefined;
}

const emptyReason = ({ stopWhenEmpty }: StopsPlan, { count }: StopFacts): Stop | undefined =>
  stopWhenEmpty === true && count === 0
    ? stopping('ended', 'Stopping scrolling because the page has no items.')
    : undefined;
