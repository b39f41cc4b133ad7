import * as types from '../../src/auth/types';
import type { AuthenticationDefinition } from '../../src/language/parts/authentication/define';
import { scopeOf } from '../support/expressions';

const all: readonly AuthenticationDefinition[] = Object.values(types);
const named = all.map((type) => [type.name, type] as const);

describe('the types of authentication', () => {
  it('house: no two have one name, old names included', () => {
    const names = all.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each(named)('house: %s says what a person should know', (_, { summary, use, travels, rules }) => {
    expect([summary, use, travels, ...rules].filter((text) => !/[.)]$/.test(text))).toEqual([]);
    expect(rules).not.toEqual([]);
  });
});

describe('language 4.2 and 4.6: what is secret before the run', () => {
  const place = { baseUrl: 'https://api.example/', scope: scopeOf() };

  it('basic: the password, and the pair in the header', () => {
    const planned = types.basic.compile({
      options: {},
      credentials: { username: 'JohnDoe', password: 'secret' },
      ...place,
    });
    expect(planned).toMatchObject({ right: { secrets: ['secret', 'Sm9obkRvZTpzZWNyZXQ='] } });
  });

  it('oauth10: all but the consumer key', () => {
    const credentials = { consumerKey: 'ck', consumerSecret: 'cs', token: 't', tokenSecret: 'ts' };
    expect(types.oauth10.compile({ options: {}, credentials, ...place })).toMatchObject({
      right: { secrets: ['cs', 't', 'ts'] },
    });
  });

  it('oauth20: each value in the data', () => {
    const credentials = { data: { access_token: 'a', deep: { key: 5 } }, appKey: 'k', appSecret: 's' };
    const options = { format: 'json', headers: {}, query: {} } as const;
    expect(types.oauth20.compile({ options, credentials, ...place })).toMatchObject({ right: { secrets: ['a', '5'] } });
  });
});
