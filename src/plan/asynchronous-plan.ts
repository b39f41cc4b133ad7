import type { RuleCondition } from '../language/configuration/api/rule';
import type { AnswerPlace } from '../language/configuration/jobs/asynchronous';
import type { BoundJob, CallValues } from './bound-job';

/** A request beside those of the pages. */
export interface AnsweredRequestPlan {
  /** Where it stands, for example `config.jobs[0].asynchronous.submit`. */
  readonly path: string;
  /** @throws FatalError EXPRESSION_FAILED */
  readonly bind: (call: CallValues) => BoundJob;
  /** What is taken from its answer. */
  readonly values: readonly AnswerValuePlan[];
}

export interface AnswerValuePlan {
  /** As it stands in braces: `submit.id`. */
  readonly name: string;
  readonly place: AnswerPlace;
  /** Whether it is an endpoint by itself: then it is resolved as an address. */
  readonly isAddress: boolean;
}

/** How the result of a job is made before it is requested (docs/language/asynchronous-jobs.md). */
export interface AsynchronousPlan {
  readonly submit: AnsweredRequestPlan;
  readonly poll: AnsweredRequestPlan & {
    readonly everyMilliseconds: number;
    readonly timeoutMilliseconds: number;
    readonly until: RuleCondition;
    readonly failed?: RuleCondition;
    readonly running?: RuleCondition;
  };
}
