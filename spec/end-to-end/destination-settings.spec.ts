/** Settings of one destination: beside its address, or behind it (docs/sinks.md#settings). */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optional } from '../../src/components';
import { defineSink } from '../../src/language/parts/sink';
import { deliver, destinationOf, explain, schemaOf, sinks, validate } from '../../src';
import { oneOrList, text } from '../../src/language/codec/primitives';
import type { Json } from '../../src';
import { anOutput } from '../support/durable';

const seen: unknown[] = [];
const nothing = (): Promise<never> => Promise.reject(new Error('not opened'));
const shelf = defineSink({
  kind: 'sink',
  name: 'shelf',
  summary: 'Items on a shelf.',
  use: 'Choose it for specs.',
  schemes: ['shelf'],
  address: ['shelf:NAME'],
  example: 'shelf:x',
  rules: [],
  makes: undefined,
  options: { labels: optional(oneOrList(text), { about: 'The labels.', example: 'red' }) },
  create: ({ url, rest }, _, { labels }: { readonly labels?: readonly string[] }) => {
    seen.push({ url, rest, labels });
    return { name: url, ...{ open: nothing, begin: nothing, write: nothing, commit: nothing, close: nothing } };
  },
});
const configurationWith = (...destinations: readonly unknown[]): unknown => ({
  api: { baseUrl: 'http://127.0.0.1' },
  config: { jobs: [{ endpoint: 'a' }], sinks: destinations },
});
const refusalOf = (...destinations: readonly unknown[]): string => {
  try {
    validate(configurationWith(...destinations), { components: [shelf] });
  } catch (error) {
    return String(error);
  }
  return '';
};

describe('settings in config.sinks', () => {
  it('stand beside the address, and are given as they were written', () => {
    const written = [
      { to: 'parquet:out', nested: 'json' },
      'duckdb:x',
      'duckdb:x',
      { to: 'parquet:out', nested: 'json' },
    ];
    expect(validate(configurationWith(...written)).sinks).toEqual([{ nested: 'json', to: 'parquet:out' }, 'duckdb:x']);
  });

  it.each([
    [{ to: 'parquet:out', nestd: 'json' }, 'config.sinks[0].nestd: has no effect: unknown key; did you mean "nested"?'],
    [
      { to: 'parquet:out', colour: 'red' },
      'config.sinks[0].colour: has no effect: parquet has no such setting; it has nested, partitionBy, journal',
    ],
    [{ to: 'csv:out', colour: 1 }, 'config.sinks[0].colour: has no effect: csv has no such setting'],
    [
      { to: 'parquet:out', nested: 'jsn' },
      'config.sinks[0].nested: expected one of tables, json, struct, found "jsn"; did you mean "json"?',
    ],
    [{ nested: 'json' }, 'config.sinks[0].to: expected an address, found nothing'],
    [{ to: 'parket:out' }, 'config.sinks[0].to: A destination should be'],
    [7, 'config.sinks[0]: expected an address, or an object with "to", found'],
    [
      'parquet:out?nestd=json',
      'config.sinks[0]: the setting "nestd" of the address has no effect: unknown key; did you mean "nested"?',
    ],
    [
      'parquet:out?nested=x',
      'config.sinks[0].nested: expected one of tables, json, struct, found a string of 1 character',
    ],
    [{ to: 'parquet:out?nested=json', nested: 'json' }, 'config.sinks[0].nested: is given in the address as well'],
  ])('%j is refused', (written, message) => {
    expect(refusalOf(written)).toContain(message);
  });

  it('may have comments, and keys of no effect where the configuration is read leniently', () => {
    expect(refusalOf({ to: 'parquet:out', '//': 'for the analysts' })).toBe('');
    const config = configurationWith({ to: 'parquet:out', nestd: 'json' });
    expect(validate(config, { lenient: true }).warnings).toMatchObject([{ path: 'config.sinks[0].nestd' }]);
  });

  it('are in the schema and in the manual, those of an application as well', () => {
    const branch = schemaOf([shelf]).$defs['sink.shelf'];
    expect(Object.keys(branch?.properties ?? {})).toEqual(['to', 'labels']);
    expect(explain('shelf', [shelf])).toMatchObject({ page: expect.stringContaining('`labels`') as string });
    expect(explain('sink csv')).toMatchObject({ page: expect.stringContaining('## Settings') as string });
  });
});

describe('settings behind an address', () => {
  beforeEach(() => (seen.length = 0));
  const made = (written: Parameters<typeof destinationOf>[0]): unknown => {
    destinationOf(written, { components: [shelf] })([anOutput()]);
    return seen.pop();
  };

  it('follow the last question mark; a name that has one ends with one', () => {
    expect(made('shelf:a?labels=red&labels=b%26w')).toEqual({ url: 'shelf:a', rest: 'a', labels: ['red', 'b&w'] });
    expect(made('shelf:a?b?')).toEqual({ url: 'shelf:a?b', rest: 'a?b' });
    expect(made('shelf:a?b?labels=red')).toEqual({ url: 'shelf:a?b', rest: 'a?b', labels: ['red'] });
    expect(made({ to: 'shelf:a', labels: ['red', 'blue'] })).toEqual({
      url: 'shelf:a',
      rest: 'a',
      labels: ['red', 'blue'],
    });
    expect(() => made('shelf:a?b')).toThrow(
      'the setting "b" of the address has no effect: shelf has no such setting; it has labels',
    );
  });

  it('of a sink without settings are a part of the address', () => {
    destinationOf('shelf:a?b=c', { components: [{ ...shelf, options: undefined as never }] })([anOutput()]);
    expect(seen).toEqual([{ url: 'shelf:a?b=c', rest: 'a?b=c' }]);
  });

  it('of a server are taken out of its URL, and all others stay', () => {
    const name = (url: string): string => destinationOf(url)([anOutput()]).name;
    expect(name('postgres://me@db/sales?nested=json&schema=crm')).toBe('postgres://db/sales?schema=crm');
    expect(name('postgres://me@db/sales?nested=json')).toBe('postgres://db/sales');
    expect(() => destinationOf('postgres://db/sales?nested=x')).toThrow(
      'nested: expected one of tables, json, found a string of 1 character',
    );
  });

  it('never show what may be a password', () => {
    const refused = (): unknown => destinationOf('postgres://me:p?nested=secret@db/sales')([anOutput()]);
    expect(refused).toThrow(/cannot be used/);
    expect(refused).not.toThrow(/secret/);
  });

  it('are checked where the library gives them', () => {
    expect(() => sinks.parquet('out', { nested: 'jsn' as 'json' })).toThrow('nested: expected one of tables, json');
  });
});

describe('a setting of one destination', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('goes before the one that is given for all', async () => {
    const to = [`parquet:${join(folder, 'all')}`, `parquet:${join(folder, 'one')}?nested=tables`];
    const fetch = (): Promise<Response> => Promise.resolve(Response.json([{ id: 1, tags: ['a'] }]));
    await deliver(
      configurationWith() as Json,
      to.map((each) => destinationOf(each, { nested: 'json' })),
      { fetch },
    );
    const files = async (name: string): Promise<string[]> =>
      (await readdir(join(folder, name))).filter((file) => file.endsWith('.parquet')).sort();
    expect(await files('all')).toEqual(['a.parquet']);
    expect(await files('one')).toEqual(['a.parquet', 'a_tags.parquet']);
  });
});
