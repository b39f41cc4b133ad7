/** Runs the worked example of a definition against an API of its exchanges. */
import type nock from 'nock';
import { extract } from '../../src';
import type { Item } from '../../src';
import type { ExtractOptions } from '../../src';
import type { WorkedExample } from '../../src/components';

const BASE = 'https://api.example';

/** The items that the example gives. Call it with what {@link useNock} gives, which sees to it that all is asked for. */
export async function itemsOf(
  api: typeof nock,
  { config, exchanges }: WorkedExample,
  options: ExtractOptions = {},
): Promise<readonly Item[]> {
  for (const { request, status = 200, headers = {}, response } of exchanges) {
    const [method = 'GET', path = '/'] = request.split(' ');
    api(BASE)
      .intercept(path, method)
      .reply(status, typeof response === 'string' ? response : JSON.stringify(response), headers);
  }
  const items: Item[] = [];
  const configuration = { ...config, api: { baseUrl: `${BASE}/`, ...config.api } };
  for await (const item of extract(configuration, options)) items.push(item);
  return items;
}
