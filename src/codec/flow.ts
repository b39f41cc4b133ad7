/** How much happens at once, and how far it runs ahead (docs/extensions/flow.md). */
import { integerFrom } from './primitives';

/** Jobs, or calls of children, at once. */
export const concurrency = integerFrom(1, 1000);

/** Pages that may wait for the consumer. */
export const prefetch = integerFrom(0, 10_000);
