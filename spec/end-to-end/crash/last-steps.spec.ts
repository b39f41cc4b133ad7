import { describeLastSteps } from './last-steps';
import { ALL_CASES } from '../../support/cases';
import { PLACES } from './places';

const QUICK = ALL_CASES ? ['ndjson', 'csv', 'duckdb', 'sqlite', 'postgres'] : ['csv'];

describe('a command that is killed at the end of its run', () => {
  const there = PLACES.filter(({ name, missing }) => missing === undefined && QUICK.includes(name));
  describeLastSteps(
    there.map((kind) => [kind]),
    2,
  );
});
