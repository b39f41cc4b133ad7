/** A fault as data: what a server does, and what a run makes of it. */
import type { RawRequest, Wire } from './support/raw-server';

/** What a run does about a fault. */
export type Verdict =
  /** Nothing: the items arrive as if all were well, at most after a repetition if the next request met the fault. */
  | { readonly kind: 'harmless'; readonly mayRepeat: boolean }
  /** The request is repeated; when that does not help, the run ends with this error. */
  | { readonly kind: 'retried'; readonly code: string }
  /** It is followed; when it has no end, the run ends with this error. */
  | { readonly kind: 'followed'; readonly code: string }
  /** The run ends with this error at once. */
  | { readonly kind: 'refused'; readonly code: string }
  /** Pagination ends, and the run is doubtful, with this warning. */
  | { readonly kind: 'doubtful'; readonly code: string }
  /** Pagination ends, as the specification says, and the run with it. */
  | { readonly kind: 'ends' };

export const HARMLESS: Verdict = { kind: 'harmless', mayRepeat: false };
export const HARMLESS_OR_REPEATED: Verdict = { kind: 'harmless', mayRepeat: true };
export const ENDS: Verdict = { kind: 'ends' };
export const retried = (code: string): Verdict => ({ kind: 'retried', code });
export const followed = (code: string): Verdict => ({ kind: 'followed', code });
export const doubtful = (code: string): Verdict => ({ kind: 'doubtful', code });
export const refused = (code: string): Verdict => ({ kind: 'refused', code });

/** Where a fault falls. */
export type Place = 'first' | 'middle' | 'login';
export const PLACES: readonly Place[] = ['first', 'middle', 'login'];

/** What a server knows when it misbehaves. */
export interface Moment {
  readonly request: RawRequest;
  /** The body that would be right. */
  readonly body: string;
  readonly port: number;
}

export interface Fault {
  /** What the server does: a sentence without its full stop. */
  readonly does: string;
  readonly wire: (moment: Moment) => Wire;
  /** For pages. */
  readonly page: Verdict;
  /** For logins; as for pages, unless given. */
  readonly login?: Verdict;
  /** Added to `api` of the configuration. */
  readonly api?: object;
  /** Waits for a time-out: it is tried with one way of pagination only, and repeated once only. */
  readonly slow?: boolean;
  /** The fault cannot happen everywhere. */
  readonly places?: readonly Place[];
}

export interface FaultGroup {
  readonly title: string;
  readonly intro: string;
  /** `one`: faults in the middle of pagination are the same whatever way of pagination leads there. */
  readonly pagings: 'all' | 'one';
  readonly faults: readonly Fault[];
}

export const verdictAt = ({ page, login }: Fault, place: Place): Verdict =>
  place === 'login' ? (login ?? page) : page;
