import { execFileSync } from 'node:child_process';
import { runToEnd } from '../support/command';

describe('headwater plan', () => {
  const config = JSON.stringify({
    api: {
      baseUrl: 'https://api.example/v1',
      http: { headers: { Authorization: { function: 'concat', args: ['Bearer ', { attr: '#token' }] } } },
    },
    config: {
      '#token': "k3y 'of' $api",
      jobs: [{ endpoint: 'boxes', children: [{ endpoint: 'boxes/{id}/parts', placeholders: { id: 'id' } }] }],
    },
  });

  it('prints requests without a secret, in 80 columns', async () => {
    const { status, stdout, stderr } = await runToEnd(['plan', '-'], config);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('  page     GET https://api.example/v1/boxes/{id}/parts');
    expect(stdout).not.toContain('k3y');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('prints a script of curl commands that a shell runs', async () => {
    const { stdout } = await runToEnd(['plan', '-', '--curl'], config);
    expect(stdout).not.toContain('k3y');
    expect(stdout).toContain('# TOKEN: config.#token');
    const script = `curl() { printf '%s|' "$@"; echo; }\n${stdout}`;
    const heard = execFileSync('sh', ['-c', script], { env: { ...process.env, TOKEN: 'se cret', ID: '7' } }).toString();
    expect(heard).toBe(
      '-gsS|https://api.example/v1/boxes|-H|authorization: Bearer se cret|\n' +
        '-gsS|https://api.example/v1/boxes/7/parts|-H|authorization: Bearer se cret|\n',
    );
  });

  it('prints JSON, and refuses what cannot be used', async () => {
    const { stdout } = await runToEnd(['plan', '-', '--format', 'json'], config);
    expect((JSON.parse(stdout) as { jobs: unknown[] }).jobs).toHaveLength(2);
    expect(await runToEnd(['plan', '-'], '{}')).toMatchObject({ status: 1, stdout: '' });
  });
});
