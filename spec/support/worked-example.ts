/** Runs the worked example of a definition, and compares what comes and goes with what it says. */
import type nock from 'nock';
import { lastValueFrom, toArray } from 'rxjs';
import { extract } from '../../src';
import type { WorkedExample } from '../../src/codec/component';

const BASE = 'https://api.example';

/** `…` in the value of a header stands for anything. */
const matcher = (value: string): string | RegExp => {
  if (!value.includes('…')) return value;
  const parts = value.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
};

/** The methods and addresses of the requests that the example sends, in order, and the items that it gives. */
export async function runWorkedExample(
  api: typeof nock,
  { config: written, exchanges }: WorkedExample,
): Promise<{ readonly requests: readonly string[]; readonly items: readonly unknown[] }> {
  const requests: string[] = [];
  for (const { request, requestHeaders = {}, requestBody, status = 200, headers = {}, response } of exchanges) {
    const [method = '', path = ''] = request.split(' ');
    const interceptor = api(BASE).intercept(path, method, requestBody as nock.RequestBodyMatcher | undefined);
    for (const [name, value] of Object.entries(requestHeaders)) interceptor.matchHeader(name, matcher(value));
    interceptor
      .reply(status, typeof response === 'string' ? response : JSON.stringify(response), {
        'content-type': 'application/json',
        ...headers,
      })
      .on('request', () => requests.push(request));
  }
  const { api: section, ...beside } = written;
  const { items$ } = extract({ ...beside, api: { baseUrl: BASE, ...section } });
  return { items: await lastValueFrom(items$.pipe(toArray())), requests };
}
