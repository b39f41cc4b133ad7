import { lastValueFrom, toArray } from 'rxjs';
import { extract, secretsOf, validate } from '../../src';
import type { Har } from '../../src';

const BASE = 'https://api.example/bot123456:AAETOKENTOKEN/';
const config = {
  api: { baseUrl: { env: 'BU' }, retryConfig: { maxRetries: 0 } },
  config: { jobs: [{ endpoint: 'getX' }] },
};

describe('an address that is a secret', () => {
  it('is masked in parts, too: a server repeats its path', async () => {
    const fetch = (input: string | URL | Request): Promise<Response> => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      const told = `no such method ${pathname}, ${encodeURIComponent(pathname)}, AAETOKENTOKEN`;
      return Promise.resolve(Response.json({ error: told }, { status: 404, headers: { 'x-path': pathname } }));
    };
    let recording: Har | undefined;
    const events: unknown[] = [];
    const { items$ } = extract(config, {
      ...{ fetch, env: { BU: BASE } },
      record: (har) => (recording = har),
      onEvent: (event) => events.push(event),
    });
    const error = await lastValueFrom(items$.pipe(toArray())).catch((failure: unknown) => failure);
    const texts = [String(error), JSON.stringify(error), JSON.stringify(recording), JSON.stringify(events)];
    expect(texts[0]).toContain('no such method ***/getX');
    for (const text of texts) expect(text).not.toMatch(/AAETOKEN|123456/);
  });

  it('leaves usual words', () => {
    const { mask } = validate(config, { env: { BU: 'https://api.example/api/v2/' } });
    expect(mask('GET /api/v2/users')).toBe('GET /api/v2/users');
  });
});

describe('secrets of other configurations', () => {
  it('are masked with those of this one', () => {
    const secrets = secretsOf({ ...config, config: { ...config.config, '#key': 'a1b2c3d4' } }, { env: { BU: BASE } });
    const { mask } = validate(config, { env: { BU: 'https://b.example/' }, secrets });
    expect(mask('a1b2c3d4 and /bot123456:AAETOKENTOKEN')).toBe('*** and ***');
  });
});
