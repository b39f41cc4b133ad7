/** The worked example of every part does what its definition says. */
import { BUILT_IN } from '../../src/run/built-in-parts';
import { runExample } from '../support/run-example';

const { authentication, format, pagination } = BUILT_IN;
const parts = [...authentication.values(), ...format.values(), ...pagination.values()];

describe('the example of', () => {
  it.each(parts.map((part) => [`${part.kind} ${part.name}`, part] as const))('%s', async (_, { example }) => {
    await runExample(example);
  });
});
