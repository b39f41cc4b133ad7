import { crc32 } from 'node:zlib';
import { firstValueFrom } from 'rxjs';
import { extract } from '../../src';

describe('the checkpoint of a page', () => {
  it('has a digest of the response', async () => {
    const body = '[{"id":1},{"id":2}]';
    const fetch = (): Promise<Response> => Promise.resolve(new Response(body));
    const config = {
      api: { baseUrl: 'https://api.example/', pagination: { method: 'offset', limit: 2 } },
      config: { jobs: [{ endpoint: 'a' }] },
    };
    const { checkpoint } = await firstValueFrom(extract(config, { fetch }).pages$);
    const digest = `19 ${crc32(body).toString(16)}`;
    expect(JSON.parse(JSON.stringify(checkpoint))).toMatchObject({ pages: 1, position: 2, digest });
  });
});
