/**
 * The plan: an immutable description of a run, made of data and pure functions. The modules that run it import its
 * types only.
 */
import type { WrittenDestination } from '../language/configuration/destinations/written';
import type { Fault } from '../core/errors/errors';
import type { ChildBatch } from '../language/configuration/configuration';
import type { TotalPlace } from '../language/configuration/jobs/completeness';
import type { ChosenFormat } from '../language/parts/format/define';
import type { AsynchronousPlan } from './asynchronous-plan';
import type { Incremental } from '../language/configuration/jobs/incremental';
import type { HttpPlan } from './http-plan';
import type { BoundJob, CallValues } from './bound-job';
import type { RunTimes } from './run-times';
import type { ShapingPlan } from './shaping-plan';
import type { Sliced } from './slices';
import type { StopsPlan } from './stops-plan';
import type { ChosenPagination } from '../language/parts/pagination/define';
import type { AuthenticationPlan } from '../language/parts/authentication/authentication';
import type { Completeness } from '../core/evidence';
import type { Json } from '../core/model';

import type { OutputPlan } from '../language/parts/output-plan';

export type { IncrementalJob, JobPlace, OutputPlan, SincePrevious } from '../language/parts/output-plan';
export type { BoundJob, CallValues, PlaceholderValue } from './bound-job';
export type { RunTimes } from './run-times';
export type { StopsPlan } from './stops-plan';

/**
 * One iteration of the configuration, ready to run. A run is all iterations of a configuration, from the first request to
 * the commit: it has one id, one state, and one end.
 */
export interface IterationPlan {
  readonly http: HttpPlan;
  /** The authentication; absent: requests go as they are. */
  readonly authentication?: AuthenticationPlan;
  /** A digest of what tells one user of the API from another: runs with equal ones may share a session. */
  readonly user: string;
  readonly jobs: readonly JobPlan[];
  /** Values known before the run that must never be printed. */
  readonly secrets: readonly string[];
  readonly debug: boolean;
  readonly output: OutputPlan;
  readonly flow: FlowPlan;
  /** URLs of destinations. */
  readonly sinks: readonly WrittenDestination[];
  readonly warnings: readonly Fault[];
}

/** How much happens at once, and how far it runs ahead (docs/extensions/flow.md). */
export interface FlowPlan {
  /** Jobs at once; `auto`: as many as the API takes. */
  readonly concurrency: number | 'auto';
  /** Pages that may wait for the consumer. */
  readonly prefetch: number;
  /** Whether pages come in the order of the configuration, however many jobs run at once. */
  readonly ordered: boolean;
}

/** How a job asks only for what is new. */
export interface IncrementalPlan extends Incremental {
  /** The name of the iteration, each of which comes forward by itself; empty: it is the only one. */
  readonly iteration: string;
}

/** One job or child job, ready to run. */
export interface JobPlan {
  readonly id: string;
  /** What messages call the job: its id where one is written, else its dataType or its endpoint. */
  readonly name: string;
  readonly path: string;
  /** The endpoint as it was written, with placeholders in it. */
  readonly endpoint: string;
  readonly dataType: string;
  /** The name of the table of its items. */
  readonly table: string;
  /**
   * The job of one call, with expressions evaluated and placeholders filled in (docs/language/jobs.md#placeholders).
   *
   * @throws FatalError EXPRESSION_FAILED
   */
  readonly bind: (call: CallValues) => BoundJob;
  /** How responses are read; absent: JSON, or by their content type. */
  readonly format?: ChosenFormat;
  readonly items: ItemSelector;
  /** Its responses are those of GraphQL: they may hold errors, and its parameters are variables. */
  readonly graphql?: GraphqlPlan;
  readonly responseFilter: ResponseFilter;
  /** What is made of its items; absent: they are delivered as they came. */
  readonly shaping?: ShapingPlan;
  readonly pagination: ChosenPagination;
  /** The common stops (docs/language/stops.md) that apply to this job, in the order in which they are asked. */
  readonly stops: readonly StopsPlan[];
  readonly requestLimit: number;
  /** Calls of its children at once; `auto`: as many as the API takes. */
  readonly concurrency: number | 'auto';
  /** Pages that may wait for the consumer when it asks for another; absent: as {@link FlowPlan} has it. */
  readonly prefetch?: number;
  /**
   * Extra columns from `userData` (docs/language/tables.md#parent-and-user-columns), evaluated when the job run starts.
   */
  readonly userData: (call: Pick<CallValues, 'times' | 'slice'>) => readonly (readonly [string, string])[];
  /**
   * What divides the job into several calls (docs/language/jobs.md#windows-and-partitions); absent: nothing does.
   *
   * @throws FatalError EXPRESSION_FAILED
   */
  readonly slices?: (times: RunTimes) => Sliced;
  /** What to do when it is incomplete (docs/completeness.md); absent: as the run has it. */
  readonly completeness?: Completeness;
  /** Where the response says how many items there are. */
  readonly total?: TotalPlace;
  /** What looks like a total in its responses is none. */
  readonly hasNoTotal?: true;
  /** What becomes of a page that equals the one before it. */
  readonly equalPages: 'stop' | 'keep';
  /** Paths of fields that no item need have, although the job names them; absent: none. */
  readonly optionalFields?: readonly string[];
  /** How it asks only for what is new. */
  readonly incremental?: IncrementalPlan;
  readonly children: readonly ChildJobPlan[];
  /** How its response is cut into pages as it arrives; absent: a page is a response. */
  readonly stream?: StreamPlan;
  /** How its result is made before it is requested; absent: it is there. */
  readonly asynchronous?: AsynchronousPlan;
}

/** What is special about the responses to a GraphQL document. */
export interface GraphqlPlan {
  /** The items are edges: each is its node, with these fields of the edge beside it. */
  readonly edges?: { readonly fields: readonly string[] };
}

/** How a response is cut into pages as it arrives (docs/language/large-responses.md). */
export interface StreamPlan {
  /** The most items of a page. */
  readonly pageItems: number;
  /** The bytes of items with which a page is full. */
  readonly pageBytes: number;
  /** The keys that lead to the items in JSON; absent: they are detected. */
  readonly path?: readonly string[];
  /** How the response is read; absent: as JSON. */
  readonly format?: ChosenFormat;
}

/** A child and the parent items that it is called for (docs/language/jobs.md#children). */
export interface ChildJobPlan {
  readonly job: JobPlan;
  /** Its own placeholders; those of its ancestors are inherited call by call. */
  readonly placeholders: readonly PlaceholderPlan[];
  /** Text of `recursionFilter`. */
  readonly filter?: string;
  /** Several parent items share a call (docs/extensions/batches.md). */
  readonly batch?: ChildBatch;
  /** Which of the calls for a page are made, as they are asked for one by one; absent: all of them. */
  readonly choose?: <T>(calls: Iterable<T>) => Iterable<T>;
}

/** Where the string for a placeholder comes from. */
export interface PlaceholderPlan {
  /** The name as the endpoint writes it, level included: `id`, `2:id`. */
  readonly name: string;
  /** 1: the item of the direct parent. */
  readonly level: number;
  readonly path: string;
  /** Applied to the value; absent: the value itself, or each element of an array. */
  readonly compute?: (value: Json) => Json;
}

/** Parts of items that are kept as JSON (docs/language/responses.md#keeping-parts-as-json). */
export interface ResponseFilter {
  readonly paths: readonly string[];
  readonly delimiter: string;
  /** Compatibility level 2 and below: scalars keep their plain text. */
  readonly keepScalars: boolean;
}

/**
 * Where the items of a response are (docs/language/responses.md#where-the-items-are). Without a path they are detected.
 */
export interface ItemSelector {
  readonly path?: string;
  readonly delimiter: string;
}
