import type { Observable } from 'rxjs';

/**
 * A gate that a producer asks before each step; the step waits for its first emission or its completion.
 *
 * @param ahead How many values may wait.
 */
export type WindowGate = (ahead?: number) => Observable<unknown>;
