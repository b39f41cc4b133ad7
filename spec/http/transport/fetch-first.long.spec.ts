/** Programs that use the `fetch` of Node.js before the library: it leaves an agent of its own as the global dispatcher. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { needsBuild } from '../../support/build';

const run = promisify(execFile);

describe('a program that calls fetch first', () => {
  let server: ApiServer;
  beforeEach(async () => {
    server = await startServer(() => json([{ id: 1 }, { id: 2 }]));
  });
  afterEach(() => server.close());

  it.each([
    ['fetch, and then the library', 'await fetch(origin);'],
    ['a Response alone', "new Response('x');"],
    ['nothing', ''],
  ])('gets its items: %s', async (_, first) => {
    const program = `
      const { extract } = require(${JSON.stringify(needsBuild('index.js'))});
      const origin = ${JSON.stringify(server.origin)};
      (async () => {
        ${first}
        const items = [];
        for await (const item of extract({ api: { baseUrl: origin }, config: { jobs: [{ endpoint: 'x' }] } })) items.push(item);
        await (await fetch(origin)).text();
        console.log(JSON.stringify(items));
      })();`;
    const { stdout } = await run(process.execPath, ['-e', program]);
    expect(JSON.parse(stdout)).toEqual([{ id: 1 }, { id: 2 }]);
  });
});
