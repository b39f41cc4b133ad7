import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCommand } from '../support/command';

describe('headwater studio', () => {
  it('prints its address, serves the page there, and ends well with Ctrl-C', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-studio-'));
    try {
      const { child, closed } = startCommand(['studio', join(folder, 'new.yaml'), join(folder, 'other.json')]);
      let printed = '';
      const url = await new Promise<string>((resolve) =>
        child.stdout.on('data', (chunk: Buffer) => {
          printed += chunk.toString();
          const [found] = /http:\S+/.exec(printed) ?? [];
          if (found !== undefined && printed.includes('Ctrl-C ends them.')) resolve(found);
        }),
      );
      expect(printed.match(/\(a new file\):\s+http:\S+/g)).toHaveLength(2);
      for (const path of ['/', '/studio.js', '/studio.css', '/icon.svg'])
        expect((await fetch(new URL(path, url))).status).toBe(200);
      const { origin, hash } = new URL(url);
      const opened = await fetch(`${origin}/api/open`, {
        method: 'POST',
        headers: { origin, authorization: `Bearer ${hash.slice(1)}`, 'content-type': 'application/json' },
        body: '{}',
      });
      expect(await opened.json()).toEqual({ text: '', name: 'new.yaml', language: 'yaml', database: 'new.duckdb' });
      child.kill('SIGINT');
      expect(await closed).toBe(0);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
