import { flagsFor } from '../../../src/cli/run/for-configuration';
import type { RunFlags } from '../../../src/cli/run/flags';

const flags: RunFlags = {
  ...{ tag: false, tagExtra: false, resume: false, acceptIncomplete: false, allowEmpty: false, lenient: false },
  ...{ strict: false, cacheDir: '.headwater-cache', logFormat: 'text', progress: 'auto' },
};

describe('flagsFor', () => {
  it('puts the name of the configuration into places', () => {
    const given = { ...flags, state: 's/{config}.json', record: '{config}.har', replay: '{config}.har' };
    expect(
      flagsFor('rivers/alder$&.yaml', { ...given, runId: 'n-{config}', to: ['csv:{config}/{config}', 'ndjson:-'] }),
    ).toEqual({
      ...flags,
      state: 's/alder$&.json',
      record: 'alder$&.har',
      replay: 'alder$&.har',
      runId: 'n-alder$&',
      to: ['csv:alder$&/alder$&', 'ndjson:-'],
    });
  });

  it('calls standard input stdin, and leaves all else as it is', () => {
    expect(flagsFor('-', { ...flags, state: '{config}' }).state).toBe('stdin');
    expect(flagsFor('a.yaml', flags)).toEqual(flags);
  });
});
