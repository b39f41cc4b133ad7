/** The environment of specs, in which the first test that fails is the last one: one is enough to kill a mutant, and jest's own bail ends the process. */
const SpecEnvironment = require('../jest/environment.cjs');

/** The mutant that is dead already; nothing while there is none, as in the run without mutants. */
let dead;

/** Milliseconds for a test that says no other number, once there is a mutant: what waits for ever is a common way to fail. */
const TEST_TIMEOUT = 5_000;

module.exports = class extends SpecEnvironment {
  /** A mutant may be in what a module does when it is loaded. */
  static hasOwnModules = true;

  handleTestEvent(event, state) {
    const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
    if (mutant === undefined) return;
    if (event.name === 'run_start') state.testTimeout = TEST_TIMEOUT;
    if (event.name === 'test_start' && dead === mutant) event.test.mode = 'skip';
    if (event.name === 'test_done' && event.test.errors.length > 0) dead = mutant;
  }
};
