/** The context `time` (docs/language/expressions.md#contexts), Unix seconds. */
export interface RunTimes {
  readonly previousStart: number;
  readonly currentStart: number;
}
