import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import { runToEnd } from '../support/command';

const MANIFEST = `
streams:
  - type: DeclarativeStream
    name: ships
    retriever:
      type: SimpleRetriever
      requester: { type: HttpRequester, url_base: "{{ config['url'] }}", path: ships }
      record_selector: { type: RecordSelector, extractor: { type: DpathExtractor, field_path: [data] } }
  - type: DeclarativeStream
    name: boats
    retriever: { type: CustomRetriever }
`;

function sourceAt(url: string): { readonly manifest: string; readonly config: string } {
  const folder = mkdtempSync(join(tmpdir(), 'headwater-airbyte-'));
  const config = join(folder, 'config.json');
  writeFileSync(join(folder, 'manifest.yaml'), MANIFEST);
  writeFileSync(config, JSON.stringify({ url }));
  return { manifest: `airbyte:${folder}`, config };
}

describe('a manifest of Airbyte', () => {
  it('headwater import prints its configuration, and what is left out', async () => {
    const { manifest, config } = sourceAt('https://h.example');
    const { status, stdout, stderr } = await runToEnd(['import', manifest, '--config', config]);
    expect(stdout).toContain('endpoint: https://h.example/ships');
    expect(stderr).toBe('The stream boats is left out: CustomRetriever\n');
    expect(status).toBe(0);
  });

  it('headwater validate and plan take it', async () => {
    const { manifest, config } = sourceAt('https://h.example');
    const checked = await runToEnd(['validate', manifest, '--config', config, '--stream', 'ships']);
    expect(checked).toMatchObject({ status: 0, stdout: 'The configuration is valid: 1 job.\n' });
    const planned = await runToEnd(['plan', manifest, '--config', config]);
    expect(planned.stdout).toContain('GET https://h.example/ships');
    expect(planned.stderr).toContain('The stream boats is left out: CustomRetriever');
  });

  it('headwater run reads it', async () => {
    const server = await startServer(() => json({ data: [{ id: 1 }] }));
    const { manifest, config } = sourceAt(server.origin);
    const { status, stdout } = await runToEnd(['run', manifest, '--config', config, '--tag', '--to', 'ndjson:-']);
    expect(stdout).toBe('{"dataType":"ships","item":{"id":1}}\n');
    expect(status).toBe(0);
  });

  it('is refused where nothing of it can be translated, or there is none', async () => {
    const { manifest } = sourceAt('https://h.example');
    const left = await runToEnd(['run', manifest, '--stream', 'boats']);
    expect(left.stderr).toContain('boats: CustomRetriever');
    expect(left.status).toBe(1);
    const missing = await runToEnd(['import', 'airbyte:no/such/folder']);
    expect(missing).toMatchObject({ status: 1, stdout: '' });
    expect(missing.stderr).toContain('there is no such file');
  });
});
