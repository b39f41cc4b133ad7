/** What an importer gives: requests for lists, before any of them is sent. */
import type { Described } from '../detect/described';
import type { RecordedAnswer } from '../detect/recorded';
import type { WrittenRequest } from '../detect/subject';

/** What was read from a command line of curl, from an OpenAPI document, or from a HAR. */
export interface Imported {
  readonly kind: 'curl' | 'openapi' | 'har';
  /** What the source calls itself. */
  readonly title: string;
  /** Absolute, with a `/` at its end; absent: the addresses of the requests say it. */
  readonly baseUrl?: string;
  /** Requests that give lists, parents before their children. */
  readonly beginnings: readonly Beginning[];
  /** What was not taken over, in sentences. */
  readonly warnings: readonly string[];
}

/** A request that gives a list: what a job can begin with. */
export interface Beginning {
  /** What people choose it by: the path, with placeholders in braces. */
  readonly id: string;
  /** Another name for it: the `operationId` of OpenAPI. */
  readonly alias?: string;
  /** The name of the table. */
  readonly name: string;
  /** A few words of the source on it. */
  readonly summary?: string;
  /** The request, with its secrets; placeholders stand in its address in braces. */
  readonly request: WrittenRequest;
  /** The placeholders of the path and the parameters of the query that have no value, and that the API needs; not what items of the parent give. */
  readonly missing: readonly string[];
  /** The `id` of the request whose items this one is called for. */
  readonly parent?: string;
  /** By placeholder of this request's own: the field of the item of the parent that it may stand for. */
  readonly placeholders?: Readonly<Record<string, string>>;
  /** What the source says of the request and its response. */
  readonly described?: Described;
  /** Responses that the source has; then nothing needs to be requested. */
  readonly recorded?: readonly RecordedAnswer[];
}
