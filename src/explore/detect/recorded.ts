import type { HttpMethod } from '../../core/model';

/** A request and its response, as somebody else has recorded them. */
export interface RecordedAnswer {
  readonly method: HttpMethod;
  /** Absolute. */
  readonly url: string;
  readonly requestBody?: string;
  readonly status: number;
  /** By lower-case name, without those of the transfer. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
