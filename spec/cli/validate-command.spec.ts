import { runToEnd } from '../support/command';

describe('headwater validate', () => {
  it('exits 0, says how many jobs there are, and warns of settings without effect', async () => {
    const config = { api: { baseUrl: 'https://api.example', pagnation: {} }, config: { jobs: [{ endpoint: 'a' }] } };
    const { status, stdout, stderr } = await runToEnd(['validate', '-'], JSON.stringify(config));
    expect(stdout).toBe('The configuration is valid: 1 job.\n');
    expect(stderr).toMatch(/warning: api\.pagnation: .*did you mean "pagination"\?/);
    expect(status).toBe(0);
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
      'duck:x': 'A destination should be ndjson:-',
      'mysql://u:secret@h': 'A destination should be ndjson:-',
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
