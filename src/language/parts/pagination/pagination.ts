import { isObject } from '../../../core/json/objects';
import type { HttpMethod, Json, JsonObject } from '../../../core/model';
import { map } from '../../codec/codec';
import type { Codec } from '../../codec/codec';
import { optionsCodec } from '../../codec/component';
import type { Component, ComponentManual, OptionFault } from '../../codec/component';
import type { Fields, RecordOf } from '../../codec/record';
import type { UnknownKeyPolicy } from '../../codec/unknown-key';
import { named } from '../errors';
import { goOn, stop } from './paginator';
import type { JobFacts, Paginator, Step } from './paginator';
import { requireRoom } from './place';
import type { Place } from './place';

/** The differences between the later requests of a job and its first one. */
export interface ScrollRequest {
  readonly endpoint?: string;
  readonly method?: HttpMethod | 'FORM';
  readonly params: JsonObject;
}

/** A pagination method with its options, as the rest of the engine knows it. */
export interface ChosenPagination {
  /** The name of the method. */
  readonly method: string;
  /** The options, with all defaults applied. */
  readonly options: object;
  /** The parameters of a job that the method counts with; literal ones must be integers. */
  readonly counts: readonly Place[];
  /** The places where the method puts values into requests. */
  readonly places: readonly Place[];
  /** The number of concurrent requests for pages. */
  readonly parallel: number;
  /** True if more can run at once, because the position of a page does not depend on the page before it. */
  readonly runsAhead?: boolean;
  /** The target of later requests, if not the endpoint of the job. */
  readonly scrollRequest?: ScrollRequest;
  /** True if later requests have the body of the first one. */
  readonly keepsBody: boolean;
  /** True if later requests lack the parameters of the job, and the configuration does not say so explicitly. */
  readonly dropsParams: boolean;
  /** Returns the method for one run of a job. */
  readonly paginator: (job: JobFacts) => Paginator;
}

/** A pagination method. */
export interface PaginationDefinition<N extends string = string> extends Component<'pagination', N> {
  /** The form of the responses of an API with this pagination, for its page of the manual. */
  readonly answer?: string;
  /**
   * @internal
   * @param policy the treatment of keys that are not options of the method
   */
  readonly codec: (policy: UnknownKeyPolicy) => Codec<ChosenPagination>;
}

/** The parts of a pagination method. */
export interface PaginationParts<N extends string, F extends Fields> extends ComponentManual {
  readonly name: N;
  readonly answer?: string;
  readonly options: F;
  /** Returns the faults of options that are each valid alone. */
  readonly check?: (options: RecordOf<F>) => readonly OptionFault[];
  /** Returns the parameters of a job that the method counts with: literal ones are checked before the first request. */
  readonly counts?: (options: RecordOf<F>) => readonly Place[];
  /**
   * Returns the places where the method puts values into requests: a job with another value on the way to one is
   * refused.
   */
  readonly places?: (options: RecordOf<F>) => readonly Place[];
  /** Returns the number of concurrent requests for pages; one by default. With more, the paginator needs `after`. */
  readonly parallel?: (options: RecordOf<F>) => number;
  readonly scrollRequest?: (options: RecordOf<F>) => ScrollRequest | undefined;
  /** Returns whether later requests have the body of the first one; true by default. */
  readonly keepsBody?: (options: RecordOf<F>) => boolean;
  /**
   * Returns whether later requests lack the parameters of the job although the options do not ask for that; false by
   * default.
   */
  readonly dropsParams?: (options: RecordOf<F>) => boolean;
  /** Returns the pure function from a page to the next request, for one run of a job. */
  readonly paginator: (options: RecordOf<F>, job: JobFacts) => Paginator;
}

/**
 * Defines a pagination method (docs/language/pagination.md). Its name is in `api.pagination.method`, its options are
 * next to it.
 *
 * @returns the definition, for a registry or for the option `components`
 * @example
 * definePagination({
 *   name: 'marker',
 *   options: { key: withDefault(string, 'id') },
 *   paginator: ({ key }, job) => marker(key, job),
 * });
 */
export function definePagination<const N extends string, F extends Fields>(
  parts: PaginationParts<N, F>,
): PaginationDefinition<N> & Pick<PaginationParts<N, F>, 'paginator'> {
  const { check, counts, places, parallel, scrollRequest, keepsBody, dropsParams, paginator, ...manual } = named(
    { kind: 'pagination', name: parts.name },
    parts,
  );
  const { name, options: fields } = parts;
  return {
    kind: 'pagination',
    ...manual,
    paginator,
    codec: (policy) =>
      map(name, optionsCodec(name, fields, { selector: 'method', policy }, check), (options) => {
        const later = scrollRequest?.(options);
        return {
          method: name,
          options,
          counts: counts?.(options) ?? [],
          places: places?.(options) ?? [],
          parallel: parallel?.(options) ?? 1,
          ...(parallel === undefined ? {} : { runsAhead: true }),
          ...(later === undefined ? {} : { scrollRequest: later }),
          keepsBody: keepsBody?.(options) ?? true,
          dropsParams: dropsParams?.(options) ?? false,
          paginator: (job) => {
            requireRoom(job, places?.(options) ?? []);
            return paginator(options, job);
          },
        };
      }),
  };
}

/** One request for each job, without `pagination.method` (docs/language/pagination.md). */
export const none: ChosenPagination = {
  method: 'none',
  options: {},
  counts: [],
  places: [],
  parallel: 1,
  keepsBody: true,
  dropsParams: false,
  paginator: (job) => {
    const first: Step = { change: { params: job.params }, position: null };
    return { by: 'nothing', first, at: () => first, next: () => stop('One request, no pagination.') };
  },
};

/** The end of a page that was cut from a streamed response. */
export interface StreamPosition {
  /** The number of items before it. */
  readonly items: number;
  /** A digest of these items. */
  readonly digest: string;
}

export const streamPosition = (position: Json): StreamPosition | undefined =>
  isObject(position) && typeof position['items'] === 'number' && typeof position['digest'] === 'string'
    ? { items: position['items'], digest: position['digest'] }
    : undefined;

/** One request for each job, whose response is cut into pages as it arrives (docs/language/large-responses.md). */
export const streamed: ChosenPagination = {
  method: 'none',
  options: {},
  counts: [],
  places: [],
  parallel: 1,
  keepsBody: true,
  dropsParams: false,
  paginator: ({ params }) => {
    const at = (position: Json): Step => ({ change: { params }, position });
    return {
      by: 'nothing',
      first: at(null),
      at,
      next: ({ reply: { response } }) =>
        response.following === undefined ? stop('The response is at its end.') : goOn(at(response.following)),
    };
  },
};
