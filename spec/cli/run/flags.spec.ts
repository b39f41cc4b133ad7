import { progressMode } from '../../../src/cli/run/flags';
import type { AskedProgress, ProgressSurroundings } from '../../../src/cli/run/flags';

describe('progressMode', () => {
  const atTerminal: ProgressSurroundings = { logFormat: 'text', isTerminal: true, env: { TERM: 'xterm' } };

  it.each<[AskedProgress, Partial<ProgressSurroundings>, string]>([
    ['auto', {}, 'terminal'],
    ['auto', { isTerminal: false }, 'plain'],
    ['auto', { env: { TERM: 'dumb' } }, 'plain'],
    ['auto', { env: { CI: '1' } }, 'plain'],
    ['auto', { env: { CI: 'false' } }, 'terminal'],
    ['auto', { logFormat: 'json' }, 'json'],
    ['terminal', { logFormat: 'json' }, 'json'],
    ['terminal', { isTerminal: false }, 'terminal'],
    ['plain', {}, 'plain'],
    ['json', {}, 'json'],
    ['none', { logFormat: 'json' }, 'none'],
  ])('%s with %j is %s', (asked, surroundings, mode) => {
    expect(progressMode(asked, { ...atTerminal, ...surroundings })).toBe(mode);
  });
});
