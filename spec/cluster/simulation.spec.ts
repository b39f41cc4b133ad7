import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

interface Simulated {
  readonly together: Record<
    'calls' | 'repeated' | 'lost' | 'failed' | 'fairness' | 'longestWait' | 'longestStill',
    number
  >;
  readonly rates: readonly Record<'rate' | 'most' | 'used' | 'failed', number>[];
}

const PROGRAM = `
import { clusterSimulation, defaults, quick } from './bench/cluster-simulation.mjs';
console.log(JSON.stringify(await clusterSimulation({ ...defaults, ...quick })));
`;

describe('a cluster in virtual time', () => {
  let simulated: Simulated;
  // It throws where a part is made twice, or never.
  beforeAll(() => {
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      ...{ cwd: resolve(__dirname, '../..'), encoding: 'utf8' },
    });
    simulated = JSON.parse(output) as Simulated;
  });

  it('makes each part once, though parts fail and workers die', () => {
    const { calls, repeated, lost, failed } = simulated.together;
    expect([lost > 0, failed > 0]).toEqual([true, true]);
    // A part that is lost, or handed back, makes one call again.
    expect(repeated).toBeGreaterThanOrEqual(lost);
    expect(repeated / calls).toBeLessThan(0.01);
  });

  it('lets no tenant starve', () => {
    const { fairness, longestWait, longestStill } = simulated.together;
    expect(fairness).toBeGreaterThan(0.85);
    expect(Math.max(longestWait, longestStill)).toBeLessThan(120_000);
  });

  it('uses the rate of an API, and exceeds it by no more than starts that come late', () => {
    for (const { rate, most, used, failed } of simulated.rates) {
      expect(most).toBeLessThanOrEqual(1.125 * rate + 1);
      expect(used).toBeGreaterThan(0.9);
      expect(failed).toBe(0);
    }
  });
});
