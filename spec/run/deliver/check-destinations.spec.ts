import { checkSharedTables, ConfigurationError, sinks, validate } from '../../../src';
import type { ConfigurationTables } from '../../../src';

const configuration = (name: string, config: object, to = sinks.duckdb('all.duckdb')): ConfigurationTables => {
  const { outputs } = validate({ api: { baseUrl: 'https://api.example' }, config });
  return { name, outputs, sinks: [to(outputs)] };
};
const jobs = (...all: object[]): object => ({ jobs: all });
const faultsOf = (...all: ConfigurationTables[]): readonly string[] => {
  try {
    checkSharedTables(all);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ path, message }) => `${path}: ${message.split('.')[0] ?? ''}`);
  }
};

describe('checkSharedTables', () => {
  it('takes other tables in one place, and the same table in other places', () => {
    const users = jobs({ endpoint: 'users' });
    expect(faultsOf()).toEqual([]);
    expect(faultsOf(configuration('a', users), configuration('b', jobs({ endpoint: 'ships' })))).toEqual([]);
    expect(faultsOf(configuration('a', users), configuration('b', users, sinks.duckdb('b.duckdb')))).toEqual([]);
    const twice = jobs({ endpoint: 'users' }, { endpoint: 'more', dataType: 'users' });
    expect(faultsOf(configuration('a', twice))).toEqual([]);
  });

  it('tells both places of a table that two write, whatever its capitals and the path', () => {
    const a = configuration('a', jobs({ endpoint: 'users' }));
    const b = configuration('b', jobs({ endpoint: 'x' }, { endpoint: 'Users' }), sinks.duckdb('./all.duckdb'));
    expect(faultsOf(a, b)).toEqual([
      expect.stringMatching(
        /^b config\.jobs\[1\]: writes the table "users" .* so does a config\.jobs\[0\]$|^b config\.jobs\[1\]: writes the table "[Uu]sers" of duckdb:/,
      ),
    ]);
  });

  it('sees children, names of tables and mappings', () => {
    const child = jobs({
      endpoint: 'users',
      children: [{ endpoint: 'u/{id}/tags', dataType: 'tags', placeholders: { id: 'id' } }],
    });
    const named = jobs({ endpoint: 'x', tableName: 'tags' });
    expect(faultsOf(configuration('a', child), configuration('b', named))).toHaveLength(1);
    const mapped = {
      ...jobs({ endpoint: 'y', dataType: 'y' }),
      mappings: {
        y: {
          id: { mapping: { destination: 'id' } },
          rows: { type: 'table', destination: 'tags', tableMapping: { n: { mapping: { destination: 'n' } } } },
        },
      },
    };
    const csv = sinks.csv('out');
    expect(faultsOf(configuration('a', child, csv), configuration('b', mapped, csv))).toHaveLength(1);
  });

  it('leaves standard output and streams of messages alone', () => {
    const users = jobs({ endpoint: 'users' });
    const printed = sinks.ndjson('-');
    expect(faultsOf(configuration('a', users, printed), configuration('b', users, printed))).toEqual([]);
  });
});
