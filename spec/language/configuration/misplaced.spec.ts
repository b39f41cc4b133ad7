import { decodeConfiguration } from '../../support/language';
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
