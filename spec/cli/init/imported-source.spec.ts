import { importedFrom } from '../../../src/cli/init/imported-source';
import { startServer } from '../../support/api-server';

describe('the document that init reads', () => {
  it('is asked for three times at most, since a person waits', async () => {
    const server = await startServer({
      '/openapi': (response) => void response.writeHead(500, { 'retry-after': '0' }).end(),
    });
    const options = { headers: {}, signal: new AbortController().signal };
    expect(
      await importedFrom({ kind: 'address', text: `${server.origin}/openapi`, isAssumed: false }, options),
    ).toBeUndefined();
    expect(server.requests).toHaveLength(3);
    await server.close();
  });
});
