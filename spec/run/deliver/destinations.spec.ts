/** What is derived from the registry of sinks. */
import { destinationOf, sinks, extract, validate } from '../../../src';
import { defineSink } from '../../../src/language/parts/sink';
import type { SinkDefinition } from '../../../src/language/parts/sink';
import * as registry from '../../../src/sinks/registry';
import { anOutput } from '../../support/durable';
import { offset } from '../../../src/sources/pagination/offset';

const definitions: readonly (readonly [string, SinkDefinition])[] = Object.entries(registry);
const nothing = (): Promise<never> => Promise.reject(new Error('not opened'));
const memory = defineSink({
  kind: 'sink',
  name: 'memory',
  summary: 'Items in memory.',
  use: 'Choose it for specs.',
  schemes: ['memory'],
  address: ['memory:NAME'],
  example: 'memory:x',
  rules: [],
  makes: undefined,
  create: ({ url, rest }, { outputs }) => ({
    name: `${url} ${rest} ${outputs.length}`,
    ...{ open: nothing, begin: nothing, write: nothing, commit: nothing, close: nothing },
  }),
});

describe('the registry of sinks', () => {
  it.each(definitions)('%s is registered by its name, and described', (name, definition) => {
    expect(definition.name).toBe(name);
    expect(Object.keys(sinks)).toContain(name);
    const { summary, use, rules = [], example = '', schemes } = definition;
    for (const sentence of [summary, use, ...rules]) expect(sentence).toMatch(/^[A-Z].*\.$/);
    expect(rules.length).toBeGreaterThan(0);
    expect(schemes).toContain(/^[a-z]+/.exec(example)?.[0]);
  });

  it.each(definitions)('%s: its example is an address that makes what it says', (_, { example = '', makes }) => {
    const sink = destinationOf(example)([anOutput()]);
    expect(sink.makes).toBe(makes);
    expect(sink.name).toContain(example.split('?')[0]?.replace(/.*@/, '').split(':')[0] ?? '');
  });

  it('has no scheme twice', () => {
    const schemes = definitions.flatMap(([, definition]) => definition.schemes);
    expect(new Set(schemes).size).toBe(schemes.length);
  });
});

describe('destinationOf', () => {
  const messageOf = (url: string, ...components: readonly SinkDefinition[]): string => {
    try {
      destinationOf(url, { components });
    } catch (error) {
      return String(error);
    }
    return '';
  };

  it('names the forms that there are, and the scheme that was likely meant', () => {
    expect(messageOf('dukdb:x')).toBe(
      'FatalError: A destination should be csv:FOLDER, csv:s3://BUCKET/PREFIX, duckdb:FILE, nats://…, ndjson:-, ndjson:FOLDER, ' +
        'ndjson:s3://BUCKET/PREFIX, parquet:FOLDER, parquet:s3://BUCKET/PREFIX, postgres://… or sqlite:FILE; ' +
        `found "dukdb:x". Did you mean 'duckdb'?`,
    );
    expect(messageOf('s3://bucket')).toMatch(/; found "s3:\/\/bucket"\.$/);
    expect(messageOf('CSV:out')).toContain("Did you mean 'csv'?");
    expect(messageOf('postgres:me:secret@host')).toMatch(/; found "postgres:\*\*\*@host"\.$/);
    expect(messageOf('items.json')).toMatch(/; found "items.json"\.$/);
  });

  it('takes sinks of your own, and names them', () => {
    const sink = destinationOf('memory:x', { components: [memory, offset] })([anOutput()]);
    expect(sink.name).toBe('memory:x x 1');
    expect(messageOf('memry:x', memory)).toContain(`should be memory:NAME, csv:FOLDER, `);
    expect(messageOf('memry:x', memory)).toContain("Did you mean 'memory'?");
    expect(messageOf('memory:x')).not.toBe('');
  });

  it.each([undefined, {}])('refuses a sink of your own that is none: %j', (made) => {
    const none = { ...memory, create: () => made as never };
    expect(() => destinationOf('memory:x', { components: [none] })([anOutput()])).toThrow(
      'sink "memory": create(…) gave a sink that lacks "open": expected what durableSink or sinks.transient gives.',
    );
  });

  it('is what config.sinks is checked by', () => {
    const config = {
      api: { baseUrl: 'http://127.0.0.1' },
      config: { jobs: [{ endpoint: 'a' }], sinks: ['csv:a', 'memory:x'] },
    };
    expect(() => validate(config)).toThrow(/config\.sinks\[1\]: A destination should be .*; found "memory:x"\./);
    expect(validate(config, { components: [memory] }).jobs).toBe(1);
  });

  it('gets from validate what it gets from extract: the addresses, and how each run writes', () => {
    const config = {
      api: { baseUrl: 'http://127.0.0.1' },
      config: { jobs: [{ endpoint: 'a' }], sinks: ['csv:a', 'ndjson:b', 'csv:a'], incrementalOutput: true },
    };
    const { sinks, outputs } = validate(config);
    expect(sinks).toEqual(['csv:a', 'ndjson:b']);
    expect(outputs).toMatchObject([{ incremental: true }]);
    const extraction = extract(config);
    expect({ sinks, outputs }).toEqual({ sinks: extraction.sinks, outputs: extraction.outputs });
  });
});

describe('an option for all destinations', () => {
  it.each(['json', 'struct'] as const)('is refused where csv: could not do it: nested %s', (nested) => {
    expect(() => destinationOf('csv:out', { nested })).toThrow(/csv: has linked tables only/);
    expect(() => destinationOf('duckdb:items.duckdb', { nested })).not.toThrow();
  });

  it('is taken where csv: does it in any case', () => {
    expect(() => destinationOf('csv:out', { nested: 'tables' })).not.toThrow();
  });
});
