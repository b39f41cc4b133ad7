/** The samples of docs/tracing.md and docs/testing.md run as they stand. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as rxjs from 'rxjs';
import * as headwater from '../../../src';
import * as otel from '../../../src/otel';
import * as testing from '../../../src/testing';

const MODULES: Readonly<Record<string, unknown>> = {
  rxjs,
  headwater,
  'headwater/otel': otel,
  'headwater/testing': testing,
};

/** Runs the code of a document; what it needs beside modules stands in `given`. */
function play(code: string, given: Readonly<Record<string, unknown>> = {}): string[] {
  const lines: string[] = [];
  const console = { log: (...words: readonly unknown[]) => lines.push(words.join(' ')) };
  const names = ['require', 'console', ...Object.keys(given)];
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the code of a document of this project
  const run = new Function(...names, code) as (...values: unknown[]) => void;
  run((name: string) => MODULES[name], console, ...Object.values(given));
  return lines;
}

const samplesOf = (document: string): string[] =>
  [...readFileSync(join(__dirname, '../../../docs', document), 'utf8').matchAll(/^```js\n(.*?)^```$/gms)].map(
    ([, code = '']) => code,
  );

async function printed(lines: readonly string[]): Promise<readonly string[]> {
  for (let turns = 0; lines.length === 0 && turns < 200; turns += 1) await wait(10);
  return lines;
}

describe('the samples', () => {
  it('of docs/testing.md print what they say', async () => {
    const [scripted = '', replayed = '', compared = '', ...others] = samplesOf('testing.md');
    expect(others).toEqual([]);
    expect(await printed(play(scripted))).toEqual(['3 items, 2 requests']);
    expect(await printed(play(replayed))).toEqual(['again: 1 with 1 request']);
    const columns = '"columns":[{"name":"id","type":"integer"},{"name":"name","type":"text"}],"rows":1}';
    expect(await printed(play(compared))).toEqual([
      'job rivers {"pages":1,"items":1} → none',
      'job stream none → {"pages":1,"items":1}',
      `table rivers {"name":"rivers",${columns} → none`,
      `table stream none → {"name":"stream",${columns}`,
      '0 requests not sent',
    ]);
  });

  it('of docs/tracing.md make an extraction', async () => {
    const [traced = '', spread = '', ...others] = samplesOf('tracing.md');
    expect(others).toEqual([]);
    const config = { api: { baseUrl: 'http://127.0.0.1:9/' }, config: { jobs: [{ endpoint: 'a' }] } };
    const lines = play(`${traced}; console.log(extraction.warnings.length, 'warnings')`, { config });
    expect(await printed(lines)).toEqual(['0 warnings']);
    const refused = 'delivery.catch(({ message }) => acme.close().then(() => console.log(message)))';
    const given = { config, api: config.api, destinations: [] };
    const [message] = await printed(play(`${traced}; ${spread}; ${refused}`, given));
    expect(message).toContain('expected at least one destination');
  });
});
