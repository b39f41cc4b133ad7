/** An environment for jest in which the first test that fails is the last one: one is enough to kill a mutant, and jest's own bail ends the process. */
const { TestEnvironment } = require('jest-environment-node');

/** The mutant that is dead already; nothing while there is none, as in the run without mutants. */
let dead;

module.exports = class extends TestEnvironment {
  handleTestEvent(event) {
    const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
    if (mutant === undefined) return;
    if (event.name === 'test_start' && dead === mutant) event.test.mode = 'skip';
    if (event.name === 'test_done' && event.test.errors.length > 0) dead = mutant;
  }
};
