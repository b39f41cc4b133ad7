/** `api.pagination` after decoding: see configuration.ts. */
import type { JsonObject } from '../model';
import type { RelativeTo } from '../url/address';
import type { TotalPlace } from './completeness';
import type { Method } from '../codec/method';

/** `api.pagination` (language 5). */
export type Pagination =
  | {
      readonly method: 'multiple';
      readonly scrollers: Readonly<Record<string, Scroller>>;
      readonly default?: string;
      readonly stops: Stops;
    }
  | Scroller;

/** A pagination method with the stops configured beside it. */
export type Scroller = ScrollerMethod & { readonly stops: Stops };

export type ScrollerMethod =
  | { readonly method: 'none' }
  | OffsetOptions
  | PagenumOptions
  | ResponseUrlOptions
  | ResponseLinkOptions
  | ResponseParamOptions
  | CursorOptions
  | ZendeskResponseUrlOptions;

export interface OffsetOptions {
  readonly method: 'offset';
  readonly limit: number;
  readonly limitParam: string;
  readonly offsetParam: string;
  readonly firstPageParams: boolean;
  readonly offsetFromJob: boolean;
  /** Requests for pages at once. */
  readonly parallel: number;
}
export interface PagenumOptions {
  readonly method: 'pagenum';
  readonly pageParam: string;
  readonly limit?: number;
  readonly limitParam: string;
  readonly firstPage: number;
  readonly firstPageParams: boolean;
  /** Requests for pages at once. */
  readonly parallel: number;
}
export interface ResponseUrlOptions {
  readonly method: 'response.url';
  readonly urlKey: string;
  readonly delimiter: string;
  readonly paramIsQuery: boolean;
  readonly includeParams: boolean;
  readonly relativeTo: RelativeTo;
}
export interface ZendeskResponseUrlOptions extends Omit<ResponseUrlOptions, 'method'> {
  readonly method: 'zendesk.response.url';
}
/** docs/extensions/response-headers.md. */
export interface ResponseLinkOptions {
  readonly method: 'response.link';
  /** The relation type of the link to the next page. */
  readonly rel: string;
  readonly includeParams: boolean;
  readonly relativeTo: RelativeTo;
}
export interface ResponseParamOptions {
  readonly method: 'response.param';
  readonly source: ParamSource;
  readonly queryParam: string;
  readonly includeParams: boolean;
  readonly scrollRequest?: { readonly endpoint?: string; readonly method?: Method; readonly params: JsonObject };
}
/** Where the value for the next page is: at a path in the response, or in one of its headers, by lower-case name. */
export type ParamSource = { readonly path: string } | { readonly header: string };
export interface CursorOptions {
  readonly method: 'cursor';
  readonly idKey: string;
  readonly param: string;
  readonly increment: number;
  readonly reverse: boolean;
}

/** The common stops (language 5.2). */
export interface Stops {
  readonly limitStop?: { readonly count: number } | { readonly field: string };
  readonly forceStop?: {
    readonly pages?: number;
    /** Seconds, or relative text such as `1 hour`. */
    readonly time?: number | string;
    readonly volume?: number;
  };
  /** Where the response says how many items there are (docs/completeness.md). */
  readonly total?: TotalPlace;
  readonly nextPageFlag?: { readonly field: string; readonly stopOn: boolean; readonly ifNotSet: boolean };
}
