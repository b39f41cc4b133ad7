/** What detection says: a value, how sure it is, and why. */
export type Confidence = 'sure' | 'likely' | 'unsure';

/** Something that was found in responses of an API. */
export interface Detected<T> {
  readonly value: T;
  /** `sure`: it was seen at work; `likely`: the response says so; `unsure`: it is a guess. */
  readonly confidence: Confidence;
  /** A sentence. */
  readonly reason: string;
}
