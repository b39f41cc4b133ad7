import type { Command } from 'commander';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXAMPLES } from '../../src/cli/examples';
import { program } from '../../src/cli/program';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import { runToEnd } from '../support/command';
import { wordsOf } from '../support/shown-commands';

const { commands } = program(() => undefined);
const withInner = (command: Command): Command[] => [command, ...command.commands.flatMap(withInner)];
const nameOf = (command: Command): string =>
  command.parent === null ? '' : `${nameOf(command.parent)} ${command.name()}`.trim();

describe('the help of commands', () => {
  it.each(commands.flatMap(withInner).map((each) => [nameOf(each)] as const))(
    '%s: one screen, at most 40 lines of 80 columns, that begins with what it does',
    async (name) => {
      const { stdout: help } = await runToEnd([...name.split(' '), '--help']);
      const lines = help.trimEnd().split('\n');
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      expect(lines.length).toBeLessThanOrEqual(40);
      expect(lines[0]).toMatch(/^[a-z]/);
      expect(help).toContain(`\n\nUsage: headwater ${name}`);
    },
  );

  it('headwater itself: one screen', async () => {
    const lines = (await runToEnd(['--help'])).stdout.trimEnd().split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(40);
    // Each command is in a group of ours, and has a line.
    expect(lines).not.toContain('Commands:');
    for (const { name } of commands.map((each) => ({ name: each.name() })))
      expect(lines.filter((line) => new RegExp(`^ {2}${name}\\b`).test(line))).toHaveLength(1);
    expect(lines.at(-1)?.trim()).toBe(EXAMPLES['init']);
  });

  it.each(commands.map((each) => [each.name(), each] as const))(
    '%s ends with an example that it takes',
    async (name, command) => {
      const { stdout: help } = await runToEnd([name, '--help']);
      const example = EXAMPLES[name] ?? '';
      expect(help.trimEnd().split('\n').at(-1)?.trim()).toBe(example);
      const [subcommand, ...words] = wordsOf(example);
      expect([example.split(' ')[0], subcommand]).toEqual(['headwater', name]);
      // A command of commands has an example of one of them.
      const inner = command.commands.find((each) => each.name() === words[0]);
      const { registeredArguments, options } = inner ?? command;
      const { operands, unknown } = (inner ?? command).parseOptions(inner === undefined ? words : words.slice(1));
      expect(unknown).toEqual([]);
      expect(operands.length).toBeGreaterThanOrEqual(registeredArguments.filter(({ required }) => required).length);
      expect(operands.length).toBeLessThanOrEqual(registeredArguments.length);
      expect(options.filter(({ mandatory, long }) => mandatory && !words.includes(long ?? ''))).toEqual([]);
    },
  );

  it('has an example for each, and for nothing else', () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual(commands.map((each) => each.name()).sort());
  });
});

/** They need a person, an end by Ctrl-C, or a Temporal server: the specs of these commands run them. */
const ELSEWHERE: readonly string[] = ['login', 'studio', 'worker', 'submit', 'status', 'tune', 'cancel'];

describe('the examples of the help', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headwater-examples-'));
  const before = process.cwd();
  const stations = Array.from({ length: 3 }, (_, at) => ({ id: at + 1, name: `Bridge ${at + 1}` }));
  let origin = '';
  let close = (): Promise<void> => Promise.resolve();

  beforeAll(async () => {
    const server = await startServer({ '/stations': json(stations) });
    ({ origin } = server);
    close = () => server.close();
    process.chdir(folder);
    const written = { api: { baseUrl: origin }, config: { jobs: [{ endpoint: 'stations' }] } };
    writeFileSync('stations.yaml', JSON.stringify(written));
    writeFileSync('config.json', JSON.stringify({ ...written, url: origin }));
    const stream = {
      ...{ type: 'DeclarativeStream', name: 'stations' },
      retriever: {
        type: 'SimpleRetriever',
        requester: { type: 'HttpRequester', url_base: "{{ config['url'] }}", path: 'stations' },
        record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: [] } },
      },
      schema_loader: { type: 'InlineSchemaLoader', schema: { properties: { id: { type: 'integer' } } } },
    };
    writeFileSync('manifest.yaml', JSON.stringify({ streams: [stream] }));
    const configured = {
      ...{ stream: { name: 'stations', json_schema: {}, supported_sync_modes: ['full_refresh'] } },
      ...{ sync_mode: 'full_refresh', destination_sync_mode: 'overwrite' },
    };
    writeFileSync('catalog.json', JSON.stringify({ streams: [configured] }));
    // What `test` compares is recorded and accepted before.
    const toStay = ['--record', 'stations.har', '--to', 'ndjson:-'];
    expect(await runToEnd(['run', 'stations.yaml', ...toStay])).toMatchObject({ status: 0 });
    const accepted = await runToEnd(['test', 'stations.yaml', '--recording', 'stations.har', '--update']);
    expect(accepted).toMatchObject({ status: 0 });
  });
  afterAll(async () => {
    process.chdir(before);
    await close();
    rmSync(folder, { recursive: true });
  });

  it.each(Object.entries(EXAMPLES).filter(([name]) => !ELSEWHERE.includes(name)))('%s runs: %s', async (_, example) => {
    const words = wordsOf(example).map((word) =>
      word
        .replace('https://api.example', origin)
        .replace(/^\/data$/, folder)
        // The configuration of `run` is there already.
        .replace(/^stations\.yaml$/, example.includes('--out') ? 'found.yaml' : 'stations.yaml'),
    );
    const { status, stdout, stderr } = await runToEnd(words);
    expect([status, status === 0 ? '' : stderr + stdout]).toEqual([0, '']);
  });
});
