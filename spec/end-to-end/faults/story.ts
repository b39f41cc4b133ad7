/** Faults that are more than one bad answer: the surroundings of a run, its credentials, an API that misleads. */
import type { TlsOptions } from 'node:tls';
import type { Socket } from 'node:net';
import type { ExtractOptions } from '../../../src';
import type { Clock } from './support/clock';
import type { RawRequest, RawServer, Wire } from './support/raw-server';

/** How a run of a story ends. */
export type Ending =
  /** With every item, after this many retries at most. */
  | { readonly kind: 'complete'; readonly mostRetries: number }
  /** With an error of one of these codes (none: any), after this many items. */
  | { readonly kind: 'fails'; readonly codes: readonly string[]; readonly before: number };

export const complete = (mostRetries = 0): Ending => ({ kind: 'complete', mostRetries });
export const fails = (codes: string | readonly string[], before = 0): Ending => ({
  kind: 'fails',
  codes: [codes].flat(),
  before,
});

/** What a story has to play with. */
export interface Stage {
  readonly server: () => RawServer;
  readonly clock: Clock;
}

export interface Scenery {
  /** Answers each request; without it, the healthy API does. */
  readonly answer?: (request: RawRequest) => Wire;
  readonly tls?: TlsOptions;
  readonly welcome?: (socket: Socket) => void;
  /** Added to `api` of the configuration. */
  readonly api?: object;
  /** In place of the address of the server. */
  readonly baseUrl?: () => string;
  readonly options?: ExtractOptions;
}

export interface Story {
  /** A sentence, without its full stop. */
  readonly summary: string;
  readonly set: (stage: Stage) => Scenery | Promise<Scenery>;
  readonly ends: Ending;
}

export interface StoryGroup {
  readonly title: string;
  readonly intro: string;
  readonly stories: readonly Story[];
}
