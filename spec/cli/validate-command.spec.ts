import { runToEnd } from '../support/command';

describe('headwater validate', () => {
  it('exits 0, says how many jobs there are, and warns of settings without effect', async () => {
    const config = { api: { baseUrl: 'https://api.example', note: 'n' }, config: { jobs: [{ endpoint: 'a' }] } };
    const { status, stdout, stderr } = await runToEnd(['validate', '-'], JSON.stringify(config));
    expect(stdout).toBe('The configuration is valid: 1 job.\n');
    expect(stderr).toBe('warning: api.note: has no effect: unknown key\n');
    expect(status).toBe(0);
  });

  const misspelled = JSON.stringify({
    api: { baseUrl: 'https://api.example', pagnation: {} },
    config: { jobs: [{ endpoint: 'a', header: {} }] },
  });

  it('refuses keys that look like others, and says how to go on', async () => {
    const { status, stdout, stderr } = await runToEnd(['validate', '-'], misspelled);
    expect(stderr).toBe(
      'The configuration cannot be used.\n' +
        '  api.pagnation: has no effect: unknown key; did you mean "pagination"?\n' +
        '  config.jobs[0].header: has no effect: unknown key; did you mean "headers"?\n' +
        '  Keys without effect are only warnings with --lenient (in the library: lenient: true).\n',
    );
    expect(stdout).toBe('');
    expect(status).toBe(1);
  });

  it('--lenient warns of them', async () => {
    const { status, stderr } = await runToEnd(['validate', '--lenient', '-'], misspelled);
    expect(stderr).toMatch(
      /^warning: api\.pagnation: .*did you mean "pagination"\?\nwarning: config\.jobs\[0\]\.header: /,
    );
    expect(status).toBe(0);
  });

  it('--strict: every warning is an error, after all have been printed', async () => {
    const { status, stdout, stderr } = await runToEnd(['validate', '--lenient', '--strict', '-'], misspelled);
    expect(stderr).toMatch(
      /^warning: api\.pagnation: .*\nwarning: config\.jobs\[0\]\.header: .*\nThe configuration is refused/,
    );
    expect(stdout).toBe('');
    expect(status).toBe(1);
    const flawless = JSON.stringify({ api: { baseUrl: 'https://a.example' }, config: { jobs: [{ endpoint: 'a' }] } });
    expect(await runToEnd(['validate', '--strict', '-'], flawless)).toMatchObject({ status: 0, stderr: '' });
  });

  it('a configuration that is itself a text is refused without its content', async () => {
    for (const text of [JSON.stringify(misspelled), JSON.stringify({ parameters: misspelled })]) {
      const { status, stderr } = await runToEnd(['validate', '-'], text);
      expect(stderr).toMatch(/expected an object.*, found a string of \d+ characters; parse the JSON first/);
      expect(stderr).not.toContain('api.example');
      expect(status).toBe(1);
    }
  });

  it('exits 1 with every fault: path, expected, found, likely meant', async () => {
    const config = {
      api: { baseUrl: 'nowhere', pagination: { method: 'ofset' } },
      config: { jobs: [{ endpoint: 'a', method: 'PSOT' }] },
    };
    const { status, stdout, stderr } = await runToEnd(['validate', '-'], JSON.stringify(config));
    expect(stderr).toContain('api.baseUrl: ');
    expect(stderr).toMatch(/api\.pagination\.method: .*did you mean "offset"\?/);
    expect(stderr).toMatch(/config\.jobs\[0\]\.method: .*did you mean "POST"\?/);
    expect(stdout).toBe('');
    expect(status).toBe(1);
  });

  it('reads the addresses of its destinations, and opens none', async () => {
    const config = (sinks: readonly string[]): string =>
      JSON.stringify({ api: { baseUrl: 'https://api.example' }, config: { sinks, jobs: [{ endpoint: 'a' }] } });
    const all = ['duckdb:/nowhere/x.duckdb', 'csv:/nowhere', 'postgres://u:secret@nowhere/db', 'nats://nowhere/s'];
    expect(await runToEnd(['validate', '-'], config(all))).toMatchObject({ status: 0, stderr: '' });
    const faults = {
      'duck:x': `config.sinks[0]: A destination should be csv:FOLDER, csv:s3://BUCKET/PREFIX, duckdb:FILE, nats://…, ndjson:-, ndjson:FOLDER`,
      'mysql://u:secret@h': 'A destination should be csv:FOLDER',
      'nats://u:secret@nowhere/s?unit=pages': 'there is no parameter "unit"',
    };
    for (const [wrong, fault] of Object.entries(faults)) {
      const { status, stderr } = await runToEnd(['validate', '-'], config([wrong]));
      expect(stderr).toContain(fault);
      expect(stderr).not.toContain('secret');
      expect(status).toBe(1);
    }
  });
});
