import type { RuleCondition } from '../language/configuration/api/rule';
import type { Json, Response } from '../core/model';

/** What is asked of responses that are no pages (docs/language/asynchronous-jobs.md). */
export interface Answers {
  readonly meets: (when: RuleCondition, response: Response) => boolean;
  /** @throws HeadwaterError for a status of failure */
  readonly requireSuccess: (response: Response) => void;
  /** The value at a path of the body. */
  readonly valueAt: (response: Response, path: string) => Json | undefined;
  /** The milliseconds that a response asks to wait, if it does. */
  readonly askedPause: (response: Response) => number | undefined;
  /** The response as messages show it. */
  readonly told: (response: Response) => string;
}
