/** The worked example of every part does what its definition says. */
import { BUILT_IN } from '../../src/config/parts';
import { runExample } from '../support/run-example';

/** Functions have examples of another form, which their own spec calls. */
const parts = [...BUILT_IN.authentication.values(), ...BUILT_IN.pagination.values(), ...BUILT_IN.format.values()];

describe('the example of', () => {
  it.each(parts.map((part) => [`${part.kind} ${part.name}`, part] as const))('%s', async (_, { example }) => {
    await runExample(example);
  });
});
