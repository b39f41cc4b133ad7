import type { ResponseRule } from '../language/configuration/api/rule';

/** What is done with responses that look like this (docs/language/responses.md#rules), in the order in which they are asked. */
export interface RulesPlan {
  /** Those of jobs without rules of their own. */
  readonly common: readonly PlacedRule[];
  /** By the place of the job in the configuration: its own, then the common ones. */
  readonly ofJobs: ReadonlyMap<string, readonly PlacedRule[]>;
  /** The places of jobs whose responses are of another format than JSON: a body that is none is nothing to warn of. */
  readonly otherFormats: ReadonlySet<string>;
}

/** A rule that knows where it stands, for example `api.http.rules[0]`. */
export interface PlacedRule extends ResponseRule {
  readonly path: string;
}
