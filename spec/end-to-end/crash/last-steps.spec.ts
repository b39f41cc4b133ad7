import { describeLastSteps } from './last-steps';
import { PLACES } from './places';

const QUICK = ['ndjson', 'csv', 'duckdb', 'sqlite', 'postgres'];

describe('a command that is killed at the end of its run', () => {
  const there = PLACES.filter(({ name, missing }) => missing === undefined && QUICK.includes(name));
  describeLastSteps(
    there.map((kind) => [kind]),
    4,
  );
});
