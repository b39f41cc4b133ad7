/** A sink as a user would write it: each page is sent to a server, which shows those of a run once it is committed. */
import type { IncomingMessage, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { FatalError, parseJson, stringifyJson } from '../../../src';
import { defineSink, durableSink, fileJournal } from '../../../src/components';
import type { Json, JsonObject } from '../../../src';
import type { LastReceipt, SinkDefinition } from '../../../src/components';

/** @param workFolder keeps the pages of a run until the server has them all */
export const webhook = (workFolder: string): SinkDefinition =>
  defineSink({
    kind: 'sink',
    name: 'webhook',
    summary: 'Pages as requests to a server, which shows them once the run is committed.',
    use: 'Choose it where a service of yours takes items over HTTP.',
    schemes: ['webhook'],
    address: ['webhook:URL'],
    example: 'webhook:http://127.0.0.1:8080',
    rules: ['A page has an id, so that the server stores it once, however often it comes.'],
    makes: 'messages',
    create: ({ rest: url }) => {
      const journal = fileJournal(workFolder);
      const post = async (path: string, body: string): Promise<void> => {
        const response = await ask(`${url}${path}`, { method: 'POST', body });
        if (response.ok) return;
        throw new FatalError('SINK_FAILED', `The server ${url} took no more: it answered with ${response.status}.`);
      };
      return durableSink({
        name: `webhook:${url}`,
        makes: 'messages',
        journal,
        receipt: async () => {
          const response = await ask(`${url}/receipt`, {});
          return response.status === 404 ? undefined : (parseJson(await response.text()) as unknown as LastReceipt);
        },
        publish: async ({ manifest, state }) => {
          const rows = new Map<string, number>();
          let number = 0;
          for await (const { dataType, lines, count } of journal.pages()) {
            const page = `/pages/${manifest.id}/${number++}?table=${encodeURIComponent(dataType)}`;
            await post(page, Buffer.from(lines).toString());
            rows.set(dataType, (rows.get(dataType) ?? 0) + count);
          }
          await post(`/commit/${manifest.id}`, stringifyJson(state));
          return Array.from(rows, ([name, count]) => ({ name, rows: count }));
        },
      });
    },
  });

const ask = (url: string, options: RequestInit): Promise<Response> =>
  fetch(url, options).catch((cause: unknown) => {
    const remedy = 'Start it, or correct the address.';
    throw new FatalError('DESTINATION_ADDRESS', `The server ${url} cannot be reached. ${remedy}`, { cause });
  });

interface StoredPage {
  readonly run: string;
  readonly table: string;
  readonly items: readonly JsonObject[];
}

/** The server: it stores a page by its id, and shows the pages of runs that were committed. */
export function createStore(): {
  readonly listener: RequestListener;
  readonly visible: (table: string) => readonly JsonObject[];
} {
  const pages = new Map<string, StoredPage>();
  const committed = new Set<string>();
  let receipt: string | undefined;
  const take = async (request: IncomingMessage): Promise<readonly [number, string]> => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    const [, kind, run = '', number = ''] = url.pathname.split('/');
    const body = await text(request);
    if (kind === 'receipt') return receipt === undefined ? [404, ''] : [200, receipt];
    if (kind === 'commit') {
      committed.add(run);
      receipt = stringifyJson({ run, state: parseJson(body) });
    } else {
      const items = body.split('\n').filter((line) => line !== '');
      const read = items.map((line): Json => parseJson(line)) as readonly JsonObject[];
      pages.set(`${run} ${number}`, { run, table: url.searchParams.get('table') ?? '', items: read });
    }
    return [204, ''];
  };
  return {
    listener: (request, response) => {
      void take(request).then(([status, body]) => response.writeHead(status).end(body));
    },
    visible: (table) =>
      [...pages.values()].flatMap((page) => (page.table === table && committed.has(page.run) ? page.items : [])),
  };
}
