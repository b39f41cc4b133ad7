/** Secrets of a source: in no configuration that is made for it, and in nothing that a run says. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromAirbyte, withAttributes } from '../../../../src';
import type { JsonObject } from '../../../../src';
import { json } from '../../../support/answers';
import { startServer } from '../../../support/api-server';
import { runToEnd } from '../../../support/command';
import { newFolder } from '../../../support/opened';

const SPECIFICATION: JsonObject = {
  properties: {
    url: { type: 'string' },
    key: { type: 'string', airbyte_secret: true },
    login: { oneOf: [{ properties: { password: { type: 'string', airbyte_secret: true } } }] },
  },
};

const manifestWith = (requester: JsonObject): JsonObject => ({
  spec: { type: 'Spec', connection_specification: SPECIFICATION },
  streams: [
    {
      type: 'DeclarativeStream',
      name: 'ships',
      retriever: {
        type: 'SimpleRetriever',
        requester: { type: 'HttpRequester', url_base: "{{ config['url'] }}", path: 'ships', ...requester },
        record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: [] } },
      },
    },
  ],
});

const BASIC = {
  authenticator: { type: 'BasicHttpAuthenticator', username: 'ann', password: "{{ config['login']['password'] }}" },
  request_parameters: { sign: "{{ 'a' ~ config['key'] ~ 'b' }}", key: "{{ config['key'] }}" },
};
const KEY = 'k-4711-secret';
const PASSWORD = 'p-0815-secret';
const ENV = { KEY, LOGIN_PASSWORD: PASSWORD };

describe('secrets of a source', () => {
  it('are attributes that read the environment', () => {
    const config = { url: 'https://h.example', key: KEY, login: { password: PASSWORD } };
    const { configuration: made } = withAttributes(SPECIFICATION, config, (given) =>
      fromAirbyte(manifestWith(BASIC), given),
    );
    expect(JSON.stringify(made)).not.toMatch(/4711|0815/);
    expect(made['config']).toMatchObject({
      source: { url: 'https://h.example', key: { env: 'KEY' }, login: { password: { env: 'LOGIN_PASSWORD' } } },
      jobs: [
        {
          params: {
            sign: { function: 'concat', args: ['a', { attr: 'source.key' }, 'b'] },
            key: { attr: 'source.key' },
          },
          headers: {
            Authorization: {
              function: 'concat',
              args: [
                'Basic ',
                {
                  function: 'base64_encode',
                  args: [{ function: 'concat', args: ['ann:', { attr: 'source.login.password' }] }],
                },
              ],
            },
          },
        },
      ],
    });
  });

  it('are not in the configuration that import prints, which sends them all the same', async () => {
    const server = await startServer(({ headers, url }) =>
      json([
        { sent: [headers['authorization'] === `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`, url] },
      ]),
    );
    const folder = newFolder();
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const manifest = file('manifest.yaml', JSON.stringify(manifestWith(BASIC)));
    const config = file('config.json', JSON.stringify({ url: server.origin, key: KEY, login: { password: PASSWORD } }));
    const { stdout } = await runToEnd(['import', `airbyte:${manifest}`, '--config', config]);
    expect(stdout).not.toMatch(/4711|0815/);
    const made = file('made.yaml', stdout);
    const variables = file(
      '.env',
      Object.entries(ENV)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
    const run = await runToEnd(['run', made, '--env-file', variables, '--to', 'ndjson:-']);
    expect(JSON.parse(run.stdout)).toEqual({ sent: [true, expect.stringContaining('/ships?sign=a') as string] });
    expect(server.requests[0]?.url).toContain(`key=${KEY}`);
  });

  it('are masked in what a run says', async () => {
    const server = await startServer(() => json({ error: `no rights with ${KEY}, ${PASSWORD}` }, 403));
    const folder = newFolder();
    writeFileSync(join(folder, 'manifest.yaml'), JSON.stringify(manifestWith(BASIC)));
    const config = join(folder, 'config.json');
    writeFileSync(config, JSON.stringify({ url: server.origin, key: KEY, login: { password: PASSWORD } }));
    const flags = ['--config', config, '--log-level', 'debug', '--to', 'ndjson:-'];
    const { status, stdout, stderr } = await runToEnd(['run', `airbyte:${folder}`, ...flags]);
    expect(status).toBe(1);
    expect(stderr).toContain('no rights with');
    expect(stdout + stderr).not.toMatch(/4711|0815/);
  });
});
