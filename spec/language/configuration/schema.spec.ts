import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLeft } from 'fp-ts/Either';
import { BUILT_IN } from '../../../src/run/built-in-parts';
import { decodeConfiguration, configurationSchema, schemaValidator } from '../../support/language';
import { ConfigurationError } from '../../../src/core/errors/errors';
import { parseJson } from '../../../src/core/json/parse';
import { isList, isObject } from '../../../src/core/json/objects';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { Json } from '../../../src/core/model';
import { prepare } from '../../../src/run/validate';
import { ROOT } from '../../support/build';
import { ALL_CASES, someOf } from '../../support/cases';
import { examplesOf } from '../../support/page-examples';

const ajv = schemaValidator({ strict: true, allErrors: true });
const isValid = ajv.compile(configurationSchema());

/** A configuration as a person would write it, base URL included. */
const whole = (config: Json): Json => {
  if (!isObject(config) || !isObject(config['api'] ?? null)) return config;
  const api = config['api'];
  return {
    ...config,
    api: { baseUrl: 'https://api.example', ...(isObject(api ?? null) ? (api as object) : {}) },
  };
};

/** The configurations of all examples of the manual. */
function fromTheManual(): readonly (readonly [string, Json])[] {
  const folders = ['', 'pagination', 'authentication', 'formats'].map((name) => join(ROOT, 'docs/language', name));
  const pages = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  );
  return pages.flatMap((page) =>
    examplesOf(page, readFileSync(page, 'utf8')).examples.map(([place, { config }]) => [place, whole(config)] as const),
  );
}

const isAccepted = (config: Json): boolean => {
  try {
    prepare(config, { lenient: true });
    return true;
  } catch (error) {
    if (error instanceof ConfigurationError) return false;
    throw error;
  }
};

/** Places of a value, as keys from the root. */
const placesIn = (value: Json, place: readonly string[] = []): readonly (readonly string[])[] =>
  (isList(value) || isObject(value) ? Object.entries(value) : []).flatMap(([key, inner]: [string, Json]) => [
    [...place, key],
    ...placesIn(inner, [...place, key]),
  ]);

const REPLACEMENTS: readonly Json[] = [null, true, false, 0, 7, -3, 1.5, 'x', '5', '', [], {}, [1], ['a'], { x: 1 }];

/** The same with one place replaced, or left out. */
function mutated(value: Json, [key = '', ...rest]: readonly string[], replacement: Json | undefined): Json {
  if (isList(value)) {
    const at = Number(key);
    if (rest.length > 0) return value.map((each, index) => (index === at ? mutated(each, rest, replacement) : each));
    return replacement === undefined ? value.filter((_, index) => index !== at) : value.with(at, replacement);
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, inner]: [string, Json]): (readonly [string, Json])[] => {
    if (name !== key) return [[name, inner]];
    if (rest.length > 0) return [[name, mutated(inner, rest, replacement)]];
    return replacement === undefined ? [] : [[name, replacement]];
  });
  return Object.fromEntries(entries);
}

/** The attributes that types of authentication need, by their definitions. */
const attributesNeeded = (): readonly string[] =>
  [...BUILT_IN.authentication.values()].flatMap(({ needs = {} }) =>
    Object.keys(needs)
      .flatMap((place) => /^config\.(#?)(\w+)$/.exec(place)?.slice(1, 3).join('') ?? [])
      .flatMap((name) => [name, name.replace('#', '')]),
  );

/** A sequence of numbers that is the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** What a schema does not say: it is about two places at once, or about what a value means. */
const MEANING: readonly RegExp[] = [
  // A type of authentication needs something elsewhere: attributes, OAuth credentials, parameters in their old place.
  new RegExp(`^config\\.(${attributesNeeded().join('|')}): `),
  /^authorization\b/,
  /^api\.authentication(\.query)?: /,
  // A required header has its value in `config`.
  /^config\.http\.headers\./,
  // A header has no object but an expression; which ones are expressions is known when they are compiled.
  /\.headers\.[\w-]+(\[\d+\])?: expected a string, a number/,
  // A rate needs both of its numbers, or headers; its path is a pattern. An array may also stand for one rate.
  /\.rateLimit(\[\d+\])?(\.(requests|seconds|headers(\.\w+)?|path))?: /,
  // It names one of the scrollers, or the table that it stands in.
  /^api\.pagination\.default: /,
  /^config\.jobs\[\d+\]\.scroller: /,
  // With the method `graphql` there may be none.
  /^config\.jobs\[\d+\](\.children\[\d+\])*\.endpoint: required: /,
  // A document is read, and so are its variables.
  /^config\.jobs\[\d+\](\.children\[\d+\])*\.(query|variables|operationName|dataField|params|body|stream|incremental)(\.\w+)?: /,
  // A pattern has a grammar of its own.
  /\.rules\[\d+\]\.when\.matches: /,
  /\.parentKey\.disable: /,
  // It has to send something that is kept.
  /^api\.authentication\.refreshRequest: /,
  // Two values cannot stand in one place.
  /: takes the same place as /,
  // A template has names in braces, and a header no second value.
  /^api\.authentication\.(template|header|headers): (has|is no) /,
  // A grant needs an endpoint.
  /^api\.authentication\.\w+Endpoint: required by the grant /,
  // A template asks for a page size.
  /^api\.pagination\.limit: required: the template of /,
];

const MUTATED = ALL_CASES ? 1000 : 150;

const ACCEPTED = fromTheManual().filter(([, config]) => isAccepted(config));

describe('configurationSchema', () => {
  it('is a schema of its draft', () => {
    expect(ajv.validateSchema(configurationSchema())).toBe(true);
  });

  it.each(ACCEPTED)('takes %s', (_, config) => {
    isValid(JSON.parse(stringifyJson(config)));
    expect(isValid.errors ?? []).toEqual([]);
  });

  it('describes every option, with an example that it takes itself', () => {
    ajv.addSchema(configurationSchema(), 'language');
    for (const [name, definition] of Object.entries(configurationSchema().$defs)) {
      for (const [key, schema] of someOf(Object.entries(definition.properties ?? {}), 6)) {
        expect([name, key, schema.description ?? 'nothing']).not.toContain('nothing');
        const { examples = [] } = schema;
        expect([name, key, examples.length]).toEqual([name, key, 1]);
        const place = `language#/$defs/${name}/properties/${key.replaceAll('/', '~1')}`;
        expect([name, key, examples[0], ajv.validate({ $ref: place }, examples[0])]).toEqual([
          name,
          key,
          examples[0],
          true,
        ]);
      }
    }
  });

  it(`agrees with the codec on the structure of ${MUTATED} mutated configurations`, () => {
    const next = numbers(12);
    const seeds = ACCEPTED.map(([, config]) => config);
    const tooStrict: string[] = [];
    const tooLax: string[] = [];
    let refused = 0;
    for (let count = 0; count < MUTATED; count += 1) {
      const seed = seeds[next(seeds.length)] ?? null;
      const places = placesIn(seed);
      const place = places[next(places.length)] ?? [];
      const replacement = next(3) === 0 ? undefined : REPLACEMENTS[next(REPLACEMENTS.length)];
      const config = mutated(seed, place, replacement);
      const text = stringifyJson(config);
      const inSchema = isValid(JSON.parse(text));
      const decoded = decodeConfiguration(parseJson(text), { lenient: true, parts: BUILT_IN });
      const line = `${place.join('.')} = ${replacement === undefined ? 'nothing' : stringifyJson(replacement)}`;
      if (!inSchema && isAccepted(parseJson(text))) tooStrict.push(line);
      if (!isLeft(decoded)) continue;
      refused += 1;
      const faults = decoded.left.map(({ path, message }) => `${path}: ${message}`);
      if (inSchema && !faults.every((fault) => MEANING.some((pattern) => pattern.test(fault))))
        tooLax.push(`${line}: ${faults.join(' | ')}`);
    }
    expect(tooStrict).toEqual([]);
    expect(tooLax).toEqual([]);
    expect(refused).toBeGreaterThan(MUTATED / 5);
  });

  const realFolder = join(ROOT, '../shared/real-configs');
  (existsSync(realFolder) ? it : it.skip)(
    'takes every real configuration that is accepted (skipped without ../shared/real-configs)',
    () => {
      const files = readdirSync(realFolder).filter((name) => name.endsWith('.json'));
      const accepted = files.filter((name) => {
        const text = readFileSync(join(realFolder, name), 'utf8');
        if (!isAccepted(parseJson(text))) return false;
        expect([name, isValid(JSON.parse(text))]).toEqual([name, true]);
        return true;
      });
      expect(accepted.length).toBeGreaterThan(20);
    },
  );
});
