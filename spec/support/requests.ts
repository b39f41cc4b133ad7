/** The nouns of the model with defaults, for specs. */
import type { RunEvent } from '../../src/core/events';
import type { Request, Response } from '../../src/core/model';
import { Secrets } from '../../src/core/secrets/secrets';

export const HOME = 'https://api.example';

/** A GET of a page, written by a person, unless the changes say otherwise. */
export const aRequest = (changes: Partial<Request> = {}): Request => ({
  method: 'GET',
  url: `${HOME}/items`,
  headers: {},
  purpose: { kind: 'page', job: 'items' },
  home: HOME,
  provenance: 'configured',
  receivedNames: [],
  ...changes,
});

/** A response with status 200 and the JSON text `[]`, unless the changes say otherwise. */
export const aResponse = ({ text = '[]', ...changes }: Partial<Response> & { text?: string } = {}): Response => ({
  request: aRequest(),
  status: 200,
  headers: {},
  body: Buffer.from(text),
  ...changes,
});

/** A set of secrets that knows these values. */
export function secretsOf(...values: readonly string[]): Secrets {
  const secrets = new Secrets();
  secrets.add(...values);
  return secrets;
}

/** Keeps the events that it is told of. */
export function recorder(): { readonly events: readonly RunEvent[]; readonly report: (event: RunEvent) => void } {
  const events: RunEvent[] = [];
  return { events, report: (event) => events.push(event) };
}

/** Retries as the language has them: no cap, no jitter, the first connection like any other. */
export const UNLIMITED_RETRIES = {
  maxDelaySeconds: Infinity,
  jitter: 0,
  firstConnectionSeconds: Infinity,
  zeroIsAtOnce: false,
};
