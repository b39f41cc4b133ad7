import { lastValueFrom } from 'rxjs';
import { extract } from '../../../src';
import type { Har } from '../../../src';

describe('the recording of a run', () => {
  it('has no secret of its beginning, however many came after it', async () => {
    const manySecrets = (): Headers => {
      const headers = new Headers();
      for (let count = 0; count < 4100; count += 1) headers.set(`x-auth-token-${count}`, `k7Qd9xZ${count}vR2mPw4`);
      return headers;
    };
    const fetch = (input: string | URL | Request): Promise<Response> => {
      const { pathname } = new URL(String(input instanceof Request ? input.url : input));
      if (pathname === '/login') return Promise.resolve(Response.json({ ticket: 'first-secret' }));
      return Promise.resolve(Response.json([{ id: 1 }], { headers: manySecrets() }));
    };
    const config = {
      api: {
        baseUrl: 'https://api.example/',
        authentication: {
          type: 'login',
          loginRequest: { endpoint: 'login' },
          apiRequest: { query: { t: 'ticket' } },
        },
      },
      config: { jobs: [{ endpoint: 'a' }] },
    };
    let recording: Har | undefined;
    await lastValueFrom(extract(config, { fetch, record: (har) => (recording = har) }).items$);
    expect(recording?.log.entries.map(({ request }) => request.url)).toEqual([
      'https://api.example/login',
      'https://api.example/a?t=***',
    ]);
    expect(JSON.stringify(recording)).not.toContain('first-secret');
  });
});
