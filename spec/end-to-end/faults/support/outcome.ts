import { lastValueFrom, tap } from 'rxjs';
import { extract, HeadwaterError } from '../../../../src';
import type { ExtractOptions } from '../../../../src';
import { statusOf } from '../../../../src/cli/exit-status';

/** How a run ended, and what it gave. */
export interface Outcome {
  /** The exit status of the command. */
  readonly status: number;
  /** The code of the error that ended the run. */
  readonly code?: string;
  readonly message?: string;
  /** The ids of the items, as they came. */
  readonly ids: readonly unknown[];
  /** The pauses before retries, in milliseconds. */
  readonly pauses: readonly number[];
  readonly warnings: readonly string[];
}

/** No run of these specs needs as long: it hangs. */
const HANG_MS = 90_000;

/** Runs a configuration to its end, whatever that is. */
export async function outcomeOf(config: object, options: ExtractOptions = {}): Promise<Outcome> {
  const ids: unknown[] = [];
  const pauses: number[] = [];
  const warnings: string[] = [];
  const hang = new AbortController();
  const timer = setTimeout(() => hang.abort(new Error('The run hangs.')), HANG_MS);
  const onEvent: ExtractOptions['onEvent'] = (event) => {
    if (event.type === 'retry.scheduled') pauses.push(event.delayMilliseconds);
    else if (event.type === 'warning') warnings.push(event.code);
    options.onEvent?.(event);
  };
  const extraction = extract(config, { ownConnections: true, signal: hang.signal, ...options, onEvent });
  const collected$ = extraction.items$.pipe(tap((item) => ids.push((item as { id?: unknown }).id)));
  try {
    await lastValueFrom(collected$, { defaultValue: null });
    return { status: 0, ids, pauses, warnings };
  } catch (error) {
    const status = statusOf(error);
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof HeadwaterError ? error.code : message;
    return { status, code, message, ids, pauses, warnings };
  } finally {
    clearTimeout(timer);
  }
}
