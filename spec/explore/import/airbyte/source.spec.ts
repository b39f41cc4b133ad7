/** Sources by name, from an index of packages on the loopback. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAirbyteManifest } from '../../../../src';
import { bytes, json } from '../../../support/answers';
import { startServer } from '../../../support/api-server';
import { zipOf } from '../../../support/zip';

const wheelOf = (version: string): Buffer =>
  Buffer.from(
    zipOf([
      { name: 'source_ships/manifest.yaml', content: `version: ${version}\nstreams: []\n` },
      { name: 'source_ships/spec.yaml', content: 'a: 1' },
    ]),
  );
const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Starts an index with versions of a source. */
async function index(versions: readonly string[], more: Readonly<Record<string, unknown>> = {}) {
  const files = versions.map((version) => ({
    filename: `airbyte_source_ships-${version}-py3-none-any.whl`,
    url: `../../files/${version}`,
    hashes: { sha256: sha256(wheelOf(version)) },
    yanked: false,
    ...more,
  }));
  const server = await startServer(({ url }) => {
    const version = /^\/files\/(.*)$/.exec(url)?.[1];
    if (version !== undefined) return bytes(wheelOf(version));
    if (url === '/simple/airbyte-source-ships/')
      return json({ files: [{ filename: 'airbyte_source_ships-9.9.tar.gz' }, ...files] });
    return json({}, 404);
  });
  const cache = mkdtempSync(join(tmpdir(), 'headwater-cache-'));
  const address = server.origin.replace('//', '//reader:secret@');
  const env = { PIP_INDEX_URL: `${address}/simple/`, XDG_CACHE_HOME: cache };
  const read = async (source: string): Promise<unknown> =>
    (await readAirbyteManifest(source, { env })).manifest['version'];
  return { server, cache, env, read };
}

describe('a source by its name', () => {
  it('is the latest version, or the one that is named, and is kept', async () => {
    const { server, cache, read } = await index(['1.9.0', '1.10.0', '1.2.0']);
    expect(await read('ships')).toBe('1.10.0');
    expect(await read('ships@1.2.0')).toBe('1.2.0');
    const asked = server.requests.length;
    expect(await read('ships@1.10.0')).toBe('1.10.0');
    expect(server.requests).toHaveLength(asked);
    expect(readdirSync(join(cache, 'headwater', 'airbyte')).sort()).toEqual(['ships-1.10.0.whl', 'ships-1.2.0.whl']);
    expect(server.requests[0]?.headers).toMatchObject({
      accept: 'application/vnd.pypi.simple.v1+json',
      authorization: `Basic ${Buffer.from('reader:secret').toString('base64')}`,
    });
  });

  it('has the specification of its wheel', async () => {
    const { env } = await index(['1.0.0']);
    expect((await readAirbyteManifest('ships', { env })).spec).toEqual({ a: 1 });
  });

  it('is refused where its digest differs, where it was withdrawn, and where there is none', async () => {
    const other = await index(['1.0.0'], { hashes: { sha256: 'ab'.repeat(32) } });
    await expect(other.read('ships')).rejects.toThrow('the SHA-256 differs');
    expect(readdirSync(other.cache)).toEqual([]);
    const { read } = await index(['1.0.0'], { yanked: 'broken' });
    await expect(read('ships')).rejects.toThrow('It has no wheel there.');
    await expect(read('ships@3')).rejects.toThrow('There is no version 3 of it.');
    await expect(read('boats')).rejects.toThrow('status 404. By hand: "pip download --no-deps airbyte-source-boats"');
  });

  it('is not asked for without HTTPS, and says how to have it where the index is not there', async () => {
    const read = (address: string) =>
      readAirbyteManifest('ships@1.0', { env: { UV_INDEX_URL: address, XDG_CACHE_HOME: '/none' } });
    await expect(read('http://index.example/simple')).rejects.toThrow('index.example is not asked without https:.');
    await expect(read('no address')).rejects.toThrow('is no address');
    await expect(read('http://127.0.0.1:1/simple')).rejects.toMatchObject({
      code: 'CONFIG_UNREADABLE',
      message: expect.stringContaining('pip download --no-deps airbyte-source-ships==1.0') as string,
    });
  });
});
