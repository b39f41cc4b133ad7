/** Both formats of the package in one process, as an application holds them whose own parts are of either kind. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { needsBuild } from '../../support/build';

describe('the package as an ES module beside itself as CommonJS', () => {
  let folder = '';
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'headwater-formats-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** What a program writes that has either format by its name, and by the name of its entry. */
  const output = (program: string): unknown => {
    const at = (path: string): string => JSON.stringify(needsBuild(path));
    const urlOf = (path: string): string => JSON.stringify(pathToFileURL(needsBuild(path)).href);
    const file = join(folder, 'program.mjs');
    writeFileSync(
      file,
      `import { createRequire } from 'node:module';
       import * as esm from ${urlOf('index.mjs')};
       import * as esmComponents from ${urlOf('components.mjs')};
       const cjs = createRequire(import.meta.url)(${at('index.js')});
       const cjsComponents = createRequire(import.meta.url)(${at('components.js')});
       const folder = ${JSON.stringify(folder)};
       const faultOf = (work) => { try { work(); return undefined; } catch (error) { return error; } };
       ${program}
       console.log(JSON.stringify(result));`,
    );
    const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };

  it('is two copies, whose errors are known to each other', () => {
    const result = output(`
      const error = faultOf(() => cjs.extract({}));
      const other = faultOf(() => esm.extract({}));
      const result = {
        areCopies: esm.HeadwaterError !== cjs.HeadwaterError,
        known: [error instanceof esm.ConfigurationError, other instanceof cjs.ConfigurationError],
        others: [error instanceof esm.FatalError, other instanceof cjs.RetryableError],
      };`);
    expect(result).toEqual({ areCopies: true, known: [true, true], others: [false, false] });
  });

  it('lets no run of one copy write where a run of the other writes', () => {
    const result = output(`
      const config = { api: { baseUrl: 'http://127.0.0.1:1' }, config: { jobs: [{ endpoint: 'items' }] } };
      let go;
      const held = new Promise((resolve) => (go = resolve));
      const fetch = () => held.then(() => Response.json([{ id: 1 }]));
      const first = cjs.deliver(config, [cjs.sinks.ndjson(folder + '/items')], { fetch });
      // The lock of the folder, which holds between processes, must not be what refuses.
      const second = await esm.deliver(config, [esm.sinks.ndjson(folder + '/items')], { fetch }).catch((error) => error);
      go();
      await first;
      const third = await esm.deliver(config, [esm.sinks.ndjson(folder + '/items')], { fetch: () => Promise.resolve(Response.json([])) , allowEmpty: true });
      const result = [second.code, second.message.includes('another run of this process'), third.outcome];`);
    expect(result).toEqual(['DESTINATION_LOCKED', true, 'complete']);
  });

  it('takes the parts and the destinations of the other copy', () => {
    const result = output(`
      const shout = cjsComponents.defineFunction({
        name: 'shout', summary: 'Shouts.', use: 'For noise.', arguments: [{ name: 'text', about: 'What to shout.' }],
        rules: [], result: 'The text.', examples: [{ args: ['a'], result: 'A' }], call: (args) => cjsComponents.textAt(args, 0).toUpperCase(),
      });
      const config = {
        api: { baseUrl: 'http://127.0.0.1:1' },
        config: { jobs: [{ endpoint: 'items', params: { q: { function: 'shout', args: ['loud'] } } }] },
      };
      const asked = [];
      const fetch = (url) => { asked.push(String(url)); return Promise.resolve(Response.json([{ id: 1 }])); };
      const { stored } = await esm.deliver(config, [cjs.sinks.ndjson(folder + '/items')], { fetch, components: [shout] });
      const result = { asked, stored: stored.length };`);
    expect(result).toEqual({ asked: ['http://127.0.0.1:1/items?q=LOUD'], stored: 1 });
  });
});
