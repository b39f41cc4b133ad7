import { decodeConfiguration } from '../../support/language';
import { ALL_CASES, someOf } from '../../support/cases';
import { homesOf } from '../../../src/language/configuration/misplaced';
import { BUILT_IN } from '../../../src/run/built-in-parts';
import { readYamlText } from '../../../src/language/reading/yaml';

/** The messages about a configuration in YAML: refusals, or the warnings of one that is taken. */
const said = (text: string): readonly string[] => {
  const decoded = decodeConfiguration(readYamlText(text).value);
  const refused = decoded._tag === 'Left';
  return (refused ? decoded.left : decoded.right.warnings).map(
    ({ path, message }) => `${refused ? '' : 'warning: '}${path}: ${message}`,
  );
};
const inApi = (lines: string): string =>
  `api:\n  baseUrl: http://a\n${lines.replace(/^/gm, '  ')}\nconfig:\n  jobs:\n    - endpoint: b\n`;
const inJob = (lines: string): string =>
  `api:\n  baseUrl: http://a\nconfig:\n  jobs:\n    - endpoint: b\n${lines.replace(/^/gm, '      ')}\n`;

describe('a key below one without a value', () => {
  it.each([
    [
      inApi('pagination:\nmethod: pagenum'),
      ['api.method: has no effect here; "pagination" above it has no value: write this key inside of it'],
    ],
    [
      inApi('pagination:\nmethod: offset\nlimit: 10'),
      ['method', 'limit'].map(
        (key) => `api.${key}: has no effect here; "pagination" above it has no value: write this key inside of it`,
      ),
    ],
    [
      inJob('params:\nriver: ALD'),
      ['config.jobs[0].river: has no effect here; "params" above it has no value: write this key inside of it'],
    ],
    [
      inJob('placeholders:\nstation: id\ndataField: c'),
      ['config.jobs[0].station: has no effect here; "placeholders" above it has no value: write this key inside of it'],
    ],
  ])('is refused: %s', (text, messages) => {
    expect(said(text)).toEqual(messages);
  });

  it.each([
    [
      'the key above has a value',
      inJob('params: {}\nriver: ALD'),
      'warning: config.jobs[0].river: has no effect: unknown key',
    ],
    [
      'another key stands between',
      inJob('params:\ndataField: c\nriver: ALD'),
      'warning: config.jobs[0].river: has no effect: unknown key',
    ],
    ['it is the first', inJob('river: ALD\nparams:'), 'warning: config.jobs[0].river: has no effect: unknown key'],
  ])('is a warning where %s', (_, text, message) => {
    expect(said(text)).toEqual([message]);
  });

  it('is as good as any other where it has a meaning', () => {
    expect(said(inJob('params:\nendpoint: c').replace('endpoint: b', 'dataField: d'))).toEqual([]);
  });
});

describe('a key that is known at another place', () => {
  const homes = homesOf(BUILT_IN);
  /** Places of keys, each with the configuration that has one there. */
  const PLACES: Readonly<Record<string, (key: string) => object>> = {
    api: (key) => ({ api: { baseUrl: 'http://a', [key]: 1 }, config: { jobs: [{ endpoint: 'b' }] } }),
    'api.http': (key) => ({
      api: { baseUrl: 'http://a', http: { [key]: 1 } },
      config: { jobs: [{ endpoint: 'b' }] },
    }),
    'config.jobs[0]': (key) => ({
      api: { baseUrl: 'http://a' },
      config: { jobs: [{ endpoint: 'b', [key]: 1 }] },
    }),
  };
  const refusal = (place: string, key: string): string => {
    const decoded = decodeConfiguration(PLACES[place]?.(key));
    return decoded._tag === 'Right' ? 'taken' : decoded.left.map(({ message }) => message).join('\n');
  };
  /** Two letters of a name swapped, as hands do it. */
  const swapped = (name: string): string | undefined => {
    const at = Array.from(name).findIndex((letter, index) => index > 0 && letter !== name[index + 1]);
    const wrong = name.slice(0, at) + (name[at + 1] ?? '') + (name[at] ?? '') + name.slice(at + 2);
    return wrong === name || homes.has(wrong) ? undefined : wrong;
  };

  it.each([
    ['config.jobs[0]', 'paralell', 'has no effect: unknown key; did you mean "parallel"? It belongs to api.pagination'],
    ['api', 'paralell', 'has no effect: unknown key; did you mean "parallel"? It belongs to api.pagination'],
    ['config.jobs[0]', 'parallel', 'has no effect here; it belongs to api.pagination'],
    ['api', 'cookies', 'has no effect here; it belongs to api.http'],
    ['api.http', 'lifetime', 'has no effect here; it belongs to api.authentication'],
  ])('is refused in %s: %s', (place, key, message) => {
    expect(refusal(place, key)).toBe(message);
  });

  it.each(Object.keys(PLACES))('is refused in %s, whatever the list that it belongs to', (place) => {
    // The key of notes is free everywhere.
    const names = someOf(
      [...homes.keys()].filter((key) => key !== 'name'),
      4,
    );
    const unknown = names.filter((key) => {
      const decoded = decodeConfiguration(PLACES[place]?.(key));
      return decoded._tag === 'Right' && decoded.right.warnings.some(({ message }) => message.endsWith('unknown key'));
    });
    expect(unknown).toEqual([]);
    const long = names.filter(({ length }) => length >= 6).flatMap((name) => swapped(name) ?? []);
    expect(long.length).toBeGreaterThan(ALL_CASES ? 80 : 20);
    expect(long.filter((wrong) => !refusal(place, wrong).includes('did you mean'))).toEqual([]);
  });
});
