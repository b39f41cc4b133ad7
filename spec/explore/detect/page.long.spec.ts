/** docs/detection.md is made from what detection finds: `npm run docs:detection` writes it, here it is compared. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstValueFrom, toArray } from 'rxjs';
import { extract } from '../../../src';
import { discover } from '../../../src/explore/discover/discover';
import { ROOT } from '../../support/build';
import { APIS, COUNT, type Api } from './apis';
import { ODD_APIS } from './odd-apis';
import { serve } from './serve';

const PAGE = join(ROOT, 'docs/detection.md');
const [BEGIN, END] = ['<!-- made by npm run docs:detection -->', '<!-- /made -->'];

interface Row {
  readonly cells: readonly string[];
  readonly outcome: string;
}

/** A table as prettier writes it. */
function tableOf(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((cells) => (cells[at] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(rows[0] ?? []), line(widths.map((width) => '-'.repeat(width))), ...rows.slice(1).map(line)];
}

/** What happened at an API: its row of the table. */
async function rowOf(api: Api): Promise<Row> {
  const serving = await serve(api);
  try {
    const { configuration, findings, requests } = await discover({
      method: api.method ?? 'GET',
      url: `${serving.origin}${api.path}`,
      headers: {},
      ...(api.body === undefined ? {} : { body: JSON.stringify(api.body) }),
    });
    const paging = findings.find(({ about }) => about === 'paging');
    const data = findings.find(({ about }) => about === 'data');
    const run = await firstValueFrom(extract(configuration, { completeness: 'warn' }).items$.pipe(toArray()));
    const isWhole = new Set(run.map((item) => JSON.stringify(item))).size === (api.count ?? COUNT);
    const outcome = paging?.confidence === 'unsure' ? 'unsure' : isWhole ? 'found' : 'not found';
    const name = `${api.name}${api.isHeldOut === true ? ' (held out)' : ''}`;
    const cells = [name, api.how, `\`${data?.value}\``, `\`${paging?.value}\``, outcome, String(requests)];
    return { outcome, cells };
  } finally {
    await serving.close();
  }
}

it('docs/detection.md has what detection finds (npm run docs:detection)', async () => {
  const rows: Row[] = [];
  for (const api of [...APIS, ...ODD_APIS]) rows.push(await rowOf(api));
  const count = (wanted: string): number => rows.filter(({ outcome }) => outcome === wanted).length;
  const sum = `${rows.length} APIs: ${count('found')} found, ${count('unsure')} unsure, ${count('not found')} not found.`;
  const head = ['API', 'how it pages', 'items at', 'method', 'outcome', 'requests'];
  const table = tableOf([head, ...rows.map(({ cells }) => cells)]);
  const made = [BEGIN, '', sum, '', ...table, '', END].join('\n');
  const page = readFileSync(PAGE, 'utf8');
  const [before = '', after = ''] = [page.split(BEGIN)[0], page.split(END)[1]];
  const next = `${before}${made}${after}`;
  if (process.env['HEADWATER_WRITE_DOCS'] === '1') writeFileSync(PAGE, next);
  expect(readFileSync(PAGE, 'utf8')).toBe(next);
}, 120_000);
