import { howToResume } from '../../../src/cli/run/run-end';
import { FatalError } from '../../../src';
import type { RunFlags } from '../../../src/cli/run/flags';

const refused = (code: 'API_SHAPE' | 'COLUMN_TYPE' | 'DESTINATION_INCOMPATIBLE' | 'SINK_FAILED'): FatalError =>
  new FatalError(code, 'No.', { destination: 'csv:out' });

describe('the advice after a run that failed', () => {
  it('is the command that goes on', () => {
    expect(howToResume('a.json', ['duckdb:x.duckdb'], { error: refused('SINK_FAILED') })).toBe(
      'What has arrived is safe. Go on with: headwater run a.json --to duckdb:x.duckdb --resume',
    );
  });

  it('says how much is safe of a run that came to its end, and nothing of items where none came', () => {
    expect(howToResume('a.json', ['csv:out'], { incompleteItems: 1200 })).toBe(
      'What has arrived is safe: 1,200 items. A run without --resume requests all again; store it all the same with: headwater run a.json --to csv:out --resume --accept-incomplete',
    );
    expect(howToResume('a.json', ['csv:out'], { incompleteItems: 0 })).toBe(
      'No item has arrived. Where that is right, end the run all the same with: headwater run a.json --to csv:out --resume --accept-incomplete',
    );
  });

  it.each(['API_SHAPE', 'COLUMN_TYPE'] as const)('is no --resume where that would fail again: %s', (code) => {
    expect(howToResume('a.json', ['csv:out'], { error: refused(code) })).toBe(
      'csv:out does not take what arrived. Correct the configuration as the message says, and run it again without --resume.',
    );
    expect(howToResume('a.json', ['csv:out', 'duckdb:x.duckdb'], { error: refused(code) })).toMatch(
      /^csv:out does not take what arrived\. .*the same command without csv:out, and with --resume/,
    );
  });

  it('holds no secret of the configuration', () => {
    const mask = (text: string): string => text.replaceAll('s3cr3t', '***');
    expect(howToResume('a.json', ['duckdb:s3cr3t/x.duckdb', 'csv:out'], { mask })).toBe(
      'What has arrived is safe. Go on with the same command and --resume.',
    );
    expect(howToResume('a.json', ['csv:out'], { mask })).toMatch(/: headwater run a\.json --to csv:out --resume$/);
  });

  it('goes on only where the configuration stays, when it may be at fault', () => {
    expect(howToResume('a.json', ['csv:out'], { error: refused('DESTINATION_INCOMPATIBLE') })).toBe(
      'What has arrived is safe. Where the configuration stays as it is, go on with: headwater run a.json --to csv:out --resume',
    );
  });

  it('has all that the run was asked for: another way of storing rows would double them', () => {
    const to = ['duckdb:x.duckdb'];
    const flags: Partial<RunFlags> = {
      ...{ to, nested: 'json', state: 'my state.json', strict: true, lenient: false, tag: false },
      ...{ components: ['a.mjs', 'b.mjs'], envFile: ['.env'], concurrency: 3, acceptIncomplete: false, resume: false },
      ...{ cacheDir: '.headwater-cache', logFormat: 'text', progress: 'auto', withRunColumns: true },
    };
    expect(howToResume('a.json', to, { flags })).toBe(
      "What has arrived is safe. Go on with: headwater run a.json --to duckdb:x.duckdb --nested json --state 'my state.json' --strict " +
        '--components a.mjs --components b.mjs --env-file .env --concurrency 3 --with-run-columns --resume',
    );
    expect(howToResume('a.json', to, { flags: { ...flags, runId: 'r1' } })).toMatch(/--with-run-columns --run-id r1$/);
    const mask = (text: string): string => text.replaceAll('my state', '***');
    expect(howToResume('a.json', to, { flags, mask })).toBe(
      'What has arrived is safe. Go on with the same command and --resume.',
    );
  });
});
