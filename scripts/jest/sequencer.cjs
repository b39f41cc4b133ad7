const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** A long spec that sets a limit of its own takes minutes. */
const takesMinutes = ({ path }) =>
  path.endsWith('.long.spec.ts') && readFileSync(path, 'utf8').includes('jest.setTimeout(');
const digest = ({ path, context: { config } }) =>
  createHash('sha1').update(relative(config.rootDir, path)).digest('hex');
const keyOf = (test) => (takesMinutes(test) ? '0' : '1') + digest(test);

/**
 * The order of the specs. Where they have run before, jest begins with those that took longest. Where they have not, it begins with the
 * largest files: those that write tables lie beside each other then, and slow each other down, and some long ones begin last. Here those
 * that take minutes begin, and the others are spread.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const keys = new Map(sorted.map((test) => [test, keyOf(test)]));
    return sorted.sort((a, b) => (keys.get(a) < keys.get(b) ? -1 : 1));
  }
};
