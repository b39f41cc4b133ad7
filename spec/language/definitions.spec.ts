/** The worked example of every part does what its definition says. */
import { BUILT_IN } from '../../src/config/parts';
import { runExample } from '../support/run-example';

const parts = Object.values(BUILT_IN).flatMap((ofKind) => [...ofKind.values()]);

describe('the example of', () => {
  it.each(parts.map((part) => [`${part.kind} ${part.name}`, part] as const))('%s', async (_, { example }) => {
    await runExample(example);
  });
});
