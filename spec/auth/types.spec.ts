import { ConfigurationError, validate } from '../../src';
import * as types from '../../src/auth/types';
import type { Fault } from '../../src/core/errors/errors';
import type { AuthenticationDefinition } from '../../src/language/parts/authentication';
import { scopeOf } from '../support/expressions';

const all: readonly AuthenticationDefinition[] = Object.values(types);
const named = all.map((type) => [type.name, type] as const);

describe('the types of authentication', () => {
  it('house: no two have one name, old names included', () => {
    const names = all.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each(named)('house: %s says what a person should know', (_, { summary, use, travels, rules = [] }) => {
    expect([summary, use, travels, ...rules].filter((text = '') => !/[.)]$/.test(text))).toEqual([]);
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

const PATH = 'api.authentication';
const CREDENTIALS = { '#data': '{"token":"t-1"}', appKey: 'k', '#appSecret': 's' };

function faultsOf(authentication: object, credentials: object = CREDENTIALS): readonly Fault[] {
  try {
    validate({
      api: { baseUrl: 'https://api.example', authentication },
      config: { '#token': 'x', jobs: [{ endpoint: 'items' }] },
      authorization: { oauth_api: { credentials } },
    });
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
}
const at = (path: string, message: RegExp): object => ({ path, message: expect.stringMatching(message) as string });

describe('faults of an authentication, before any request', () => {
  it('language 4.3: every reference to nothing, with its place', () => {
    const query = { a: { attr: '#tokn' }, b: { function: 'md5', args: [{ request: 'host' }] }, c: { query: 'any' } };
    expect(faultsOf({ type: 'query', query })).toEqual([
      at(`${PATH}.query.a`, /attr '#tokn' not found! Did you mean '#token'/),
      at(`${PATH}.query.b.args[0]`, /request 'host' not found!/),
    ]);
  });

  it('language 4.3: the deprecated api.query is named as such', () => {
    const api = { baseUrl: 'https://api.example', authentication: { type: 'query' }, query: { a: { attr: 'b' } } };
    expect(() => validate({ api, config: { jobs: [{ endpoint: 'items' }] } })).toThrow(/api\.query\.a: /);
  });

  it('language 4.4: lists and objects that are no expressions', () => {
    const query = { a: [1], b: { atr: '#token' }, c: { attr: '#token', x: 1 }, d: { attr: '#token' }, e: null };
    const expected = (found: string): RegExp =>
      new RegExp(`^expected a string, a number or an expression \\("function", "attr", .*\\), found ${found}$`);
    expect(faultsOf({ type: 'query', query })).toEqual([
      at(`${PATH}.query.a`, expected('array')),
      at(`${PATH}.query.b`, expected('object')),
      at(`${PATH}.query.c`, expected('object')),
    ]);
  });

  it('language 4.7: `authorization` holds what the format gives; `attr` is no context', () => {
    const headers = { a: { authorization: 'data' }, b: { authorization: 'data.tokn' }, c: { attr: '#token' } };
    expect(faultsOf({ type: 'oauth20', format: 'json', headers, query: { d: { authorization: 'secret' } } })).toEqual([
      at(`${PATH}.headers.a`, /holds several values, name one of them: .*data\.token/),
      at(`${PATH}.headers.b`, /authorization 'data.tokn' not found! Did you mean 'data.token'/),
      at(`${PATH}.headers.c`, /found object$/),
      at(`${PATH}.query.d`, /authorization 'secret' not found!/),
    ]);
    expect(faultsOf({ type: 'oauth20', headers: { a: { authorization: 'data' } } })).toEqual([]);
  });
});
