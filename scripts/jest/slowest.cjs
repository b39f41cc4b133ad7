const SHOWN = 10;
/** The seconds that `npm test` may take on two quiet processors. */
const LIMIT = 300;

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;

/** A reporter of jest: names the slowest files of a run of all specs, and says when `npm test` takes longer than it should. */
module.exports = class {
  constructor(_, options) {
    this.options = options;
  }

  onRunComplete(_, { testResults, startTime }) {
    if (testResults.length <= SHOWN) return;
    const files = testResults.map(({ testFilePath, perfStats: { start, end } }) => ({
      testFilePath,
      took: end - start,
    }));
    const slowest = files.sort((a, b) => b.took - a.took).slice(0, SHOWN);
    const lines = slowest.map(
      ({ testFilePath, took }) => `  ${seconds(took).padStart(8)}  ${testFilePath.replace(`${process.cwd()}/`, '')}`,
    );
    console.error(`\nThe slowest files:\n${lines.join('\n')}`);
    const took = Date.now() - startTime;
    if (process.env.HEADWATER_CASES !== 'all' && took > LIMIT * 1000)
      console.error(
        `The run took ${seconds(took)}; on two quiet processors it has to take at most ${LIMIT} s (CONTRIBUTING.md).`,
      );
  }
};
