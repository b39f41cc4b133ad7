import { pathText, toFaults } from '../../../src/language/codec/finding';
import { parseJson } from '../../../src/core/json/parse';

describe('pathText', () => {
  it.each([
    [[], ''],
    [['config', 'jobs', '0', 'children', '1', 'endpoint'], 'config.jobs[0].children[1].endpoint'],
    [['config', 'jobs', '0', 'params', 'page[size]'], 'config.jobs[0].params["page[size]"]'],
    [['api', 'pagination.method'], 'api["pagination.method"]'],
    [['config', '#token'], 'config.#token'],
    [['config', ''], 'config[""]'],
    [['config', 'nowhere', '0'], 'config.nowhere.0'],
  ])('language 9: %j is %s', (path, text) => {
    expect(pathText(path, { config: { jobs: [{ children: [{}, {}] }] } })).toBe(text);
  });
});

describe('toFaults', () => {
  it('language 9: reading order, absent keys last, outer places first, no repetition', () => {
    const document = parseJson('{"b": [1, {"x": 1}], "10": 0, "2": 0}');
    const at = (...path: string[]) => ({ path, message: 'm' });
    const findings = [at('2'), at('10'), at('a'), at('b', '1', 'x'), at('b', '0'), at('b', '1'), at('b', '0'), at('b')];
    expect(toFaults(findings, document).map(({ path }) => path)).toEqual([
      'b',
      'b[0]',
      'b[1]',
      'b[1].x',
      '10',
      '2',
      'a',
    ]);
  });
});
