/** `api.retryConfig` (docs/language/retries.md). */
export interface RetryConfig {
  readonly maxRetries: number;
  readonly header: string;
  readonly statusCodes: readonly number[];
  readonly curlCodes: readonly number[];
  readonly limits: RetryLimits;
  /** The same for who keeps to the language wholly, which has none of them: only what a person wrote. */
  readonly languageLimits: RetryLimits;
}

/** What keeps retries short (docs/extensions/retries.md). */
export interface RetryLimits {
  /** The longest delay before a retry; `Infinity`: no limit. */
  readonly maxDelaySeconds: number;
  /** How much of a delay of its own chance takes off at most: 0 nothing, 1 all. */
  readonly jitter: number;
  /** Seconds for reaching a host for the first time; `Infinity`: no limit. */
  readonly firstConnectionSeconds: number;
  /** This is true where a retry delay of 0 seconds means at once, and false where it counts as none. */
  readonly zeroIsAtOnce: boolean;
}
