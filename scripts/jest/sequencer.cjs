const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** What a spec says at its beginning, if it takes minutes with all of its cases: begun last, it would be waited for alone. */
const takesMinutes = ({ path }) => readFileSync(path, 'utf8').startsWith('// Takes minutes');
const isLong = ({ path }) => path.endsWith('.long.spec.ts');
const digest = ({ path, context: { config } }) =>
  createHash('sha1').update(relative(config.rootDir, path)).digest('hex');
const keyOf = (test) => (takesMinutes(test) ? '0' : isLong(test) ? '1' : '2') + digest(test);

const isNew = ({ duration }) => duration === undefined;

/**
 * The order of the specs. Jest begins with those that have not run before, the largest files first: those that write tables lie beside each
 * other then, and slow each other down, and some long ones begin last. Here those that take minutes begin, then the other long ones; each
 * kind is spread. What has run before follows, the longest first.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const keyed = sorted.filter(isNew).map((test) => [keyOf(test), test]);
    return [
      ...keyed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, test]) => test),
      ...sorted.filter((test) => !isNew(test)),
    ];
  }
};
