/** What may start when (docs/extensions/rate-limits.md): a rate, or headers that tell of one, or both. */
export interface RateRule {
  readonly rate?: { readonly requests: number; readonly seconds: number; readonly burst?: number };
  /** Names of response headers that say what is left, and until when. */
  readonly headers?: { readonly remaining?: string; readonly reset?: string };
}

export interface PathRateRule extends RateRule {
  /** A glob over the path of the URL; absent: every request. */
  readonly path?: string;
}
