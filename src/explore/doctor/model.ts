/** The noun of what a doctor finds. */

/** One thing that was looked at. Secrets are `***` in it. */
export interface Diagnosis {
  /** What was looked at, `Node.js`, `host api.example` or `config.#token`. */
  readonly about: string;
  /** A `warning` may be meant; with a `fault` a run cannot go well. */
  readonly level: 'ok' | 'warning' | 'fault';
  /** What was found. */
  readonly message: string;
  /** What to do; absent where all is well. */
  readonly remedy?: string;
}

export const ok = (about: string, message: string): Diagnosis => ({ about, level: 'ok', message });
export const warning = (about: string, message: string, remedy: string): Diagnosis => ({
  ...{ about, level: 'warning', message, remedy },
});
export const fault = (about: string, message: string, remedy: string): Diagnosis => ({
  ...{ about, level: 'fault', message, remedy },
});
