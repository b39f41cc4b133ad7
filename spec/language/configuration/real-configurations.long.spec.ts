import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLeft } from 'fp-ts/lib/Either';
import { decodeConfiguration } from '../../support/language';
import { isObject, ownValue } from '../../../src/core/json/objects';
import { parseJson } from '../../../src/core/json/parse';
import type { Json, JsonObject } from '../../../src/core/model';

const shared = join(__dirname, '../../../../shared');
const realFolder = join(shared, 'real-configs');
const caseFolder = join(shared, 'conformance/cases');
/** The reference data is not a part of the project. Without it there is nothing to decode. */
const ifThere = (folder: string) => (existsSync(folder) ? it : it.skip);

const readAll = (folder: string): readonly (readonly [string, Json])[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => [name, parseJson(readFileSync(join(folder, name), 'utf8'))] as const);

const under = (value: Json | undefined, key: string): JsonObject => {
  const inner = isObject(value) ? ownValue(value, key) : undefined;
  return isObject(inner) ? inner : {};
};

const tokens = '{"oauth_token": "t", "oauth_token_secret": "s"}';
const oauth: JsonObject = { oauth_api: { credentials: { '#data': tokens, appKey: 'k', '#appSecret': 's' } } };

/** Templates leave credentials to their users. */
function withCredentials(input: Json): Json {
  const parameters = under(input, 'parameters');
  const config = { username: 'u', password: 'p', ...under(parameters, 'config') };
  const usable = { ...config, username: config.username === '' ? 'u' : config.username, '#password': 'p' };
  return { parameters: { ...parameters, config: usable }, authorization: oauth };
}

describe('configurations that people wrote', () => {
  ifThere(realFolder)(
    'language 1 to 6: 221 real ones never throw, and refusals name places (skipped without ../shared/real-configs)',
    () => {
      const files = readAll(realFolder);
      const places = files.flatMap(([, input]) => {
        const result = decodeConfiguration(input);
        return isLeft(result) ? result.left.map(({ path }) => path) : [];
      });
      expect(files).toHaveLength(221);
      expect(places.length).toBeGreaterThan(0);
      expect(places).not.toContain('');
    },
  );

  ifThere(realFolder)(
    'language 1 to 6: with credentials, all but 18 broken ones are accepted (skipped without ../shared/real-configs)',
    () => {
      const refused = (lenient: boolean): number =>
        readAll(realFolder).filter(([, input]) => isLeft(decodeConfiguration(withCredentials(input), { lenient })))
          .length;
      expect(refused(true)).toBeLessThanOrEqual(18);
      // Those with keys that look like others: docs/real-configurations.md lists them.
      expect(refused(false) - refused(true)).toBeLessThanOrEqual(17);
    },
  );

  ifThere(caseFolder)(
    'language 10: every conformance case decodes without a fault (skipped without ../shared/conformance)',
    () => {
      const cases = readAll(caseFolder);
      const refused = cases.flatMap(([name, file]) => {
        const result = decodeConfiguration(under(file, 'config'));
        return isLeft(result) ? [[name, result.left]] : [];
      });
      expect(cases).toHaveLength(83);
      expect(refused).toEqual([]);
    },
  );
});
