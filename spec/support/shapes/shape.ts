/** What the servers of the cookbook share: data, and how they are cut into pages. */
import type { Json, JsonObject } from '../../../src';
import type { Handler, ReceivedRequest } from '../api-server';

/** An API of one shape, all that it has, and a mistake of a configuration that reads it. */
export interface Shape {
  readonly answers: Handler;
  /** What a run has to give, by the `dataType` of the job. */
  readonly items: Readonly<Record<string, readonly Json[]>>;
  /** Codes of the warnings that are right; none unless given. */
  readonly warns?: readonly string[];
  /** A merge patch (RFC 7396) of the configuration that would leave items out. */
  readonly slip: JsonObject;
  /** The code that says so: of an error, of a doubt about completeness, or of a warning. */
  readonly reported: string;
}

/** Where the pages of the cookbook say that an API is. */
export const BASE = 'https://api.example';

// A type and not an interface, since it is JSON.
export type Station = { readonly id: number; readonly name: string };

export const STATIONS: readonly Station[] = Array.from({ length: 250 }, (_, at) => ({
  id: at + 1,
  name: `Station ${at + 1}`,
}));

export const urlOf = (request: ReceivedRequest): URL => new URL(request.url, BASE);

/** A number of the query. */
export const numberIn = (url: URL, name: string, otherwise: number): number =>
  Number(url.searchParams.get(name) ?? otherwise);

/** The address of the same request with other parameters, at the server that was asked. */
export function addressOf(request: ReceivedRequest, changes: Readonly<Record<string, string | number>>): string {
  const url = new URL(request.url, `http://${request.headers.host ?? ''}`);
  for (const [name, value] of Object.entries(changes)) url.searchParams.set(name, String(value));
  return url.href;
}

/** No API of the cookbook gives more at once. */
export const LARGEST = 100;

export const sliceOf = <T>(all: readonly T[], from: number, size: number): readonly T[] =>
  all.slice(from, from + Math.min(size, LARGEST));
