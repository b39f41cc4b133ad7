/** How much happens at once, and how far it runs ahead (docs/extensions/flow.md). */
import { codec, type Codec } from './codec';
import { constant, integerFrom } from './primitives';

const some = integerFrom(1, 1000);
const automatic = constant('auto');

/** Jobs, or calls of children, at once: a number, or as many as the API takes. */
export const concurrency: Codec<number | 'auto'> = codec<number | 'auto'>(
  'Concurrency',
  () => ({ anyOf: [some.schema(), automatic.schema()] }),
  (input, context) => (input === 'auto' ? automatic : some).validate(input, context),
);

/** Pages that may wait for the consumer. */
export const prefetch = integerFrom(0, 10_000);
