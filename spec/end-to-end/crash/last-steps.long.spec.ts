/** Each destination, killed 40 times at the end of a run that adds rows. */
import { describeLastSteps } from './last-steps';
import { PLACES } from './places';

const there = PLACES.filter(({ missing }) => missing === undefined);
const missing = PLACES.flatMap(({ name, missing: what }) => (what === undefined ? [] : `${name}: ${what}`));

describe(`a command that is killed at the end of its run${missing.map((each) => `, without ${each}`).join('')}`, () => {
  jest.setTimeout(600_000);
  describeLastSteps([...there.map((kind) => [kind]), there.filter(({ name }) => ['csv', 'duckdb'].includes(name))], 40);
});
