/** Rules about responses (docs/language/responses.md#rules): what is done with one that looks like this. */
export interface ResponseRule {
  readonly when: RuleCondition;
  readonly do: RuleAction;
  /** What the error says, where the rule makes one. */
  readonly message?: string;
}

export type RuleAction = 'retry' | 'stop' | 'skip' | 'fail' | 'renew';

/** All that is given has to hold. */
export interface RuleCondition {
  readonly statuses?: readonly StatusRange[];
  /** Where the text is that is looked at; absent: the body as it is. */
  readonly header?: string;
  readonly field?: string;
  /** One of these texts; without it and `matches` it is enough that there is a value. */
  readonly is?: readonly string[];
  /** A regular expression that finds something in the text. */
  readonly matches?: string;
}

/** Statuses, both ends included. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}
