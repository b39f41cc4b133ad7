// Takes minutes, and begins first (scripts/jest/sequencer.cjs).
/** Each destination, killed at the end of a run that adds rows: a fifth of HEADWATER_CRASHES times (default 50), at steps that are spread evenly from a random one on. */
import { randomFrom } from '../../support/random';
import { describeLastSteps } from './last-steps';
import { PLACES } from './places';

const there = PLACES.filter(({ missing }) => missing === undefined);
const CRASHES = Number(process.env.HEADWATER_CRASHES ?? 50);
const SEED = Number(process.env.HEADWATER_CRASH_SEED ?? Date.now() % 1_000_000);
const missing = PLACES.flatMap(({ name, missing: what }) => (what === undefined ? [] : `${name}: ${what}`));

describe(`a command that is killed at the end of its run${missing.map((each) => `, without ${each}`).join('')} (seed ${SEED})`, () => {
  describeLastSteps(
    [...there.map((kind) => [kind]), there.filter(({ name }) => ['csv', 'duckdb'].includes(name))],
    Math.ceil(CRASHES / 5),
    randomFrom(SEED),
  );
});
