/** The rule of docs/language/secrets.md#where, over the whole schema. */
import { pathText } from '../../../src/language/codec/finding';
import type { Schema } from '../../../src/language/codec/schema';
import { BUILT_IN } from '../../../src/run/built-in-parts';
import { resolveReferences } from '../../../src/language/references/reference';
import { configurationSchema, schemaValidator } from '../../support/language';
import { ConfigurationError, validate } from '../../../src';
import type { Json } from '../../../src/core/model';
import { someOf } from '../../support/cases';
import { definitionName } from '../../support/definition-name';
import { placesOf, withValueAt } from '../../support/schema-places';
import type { SchemaPlace } from '../../support/schema-places';

const schema = configurationSchema(BUILT_IN);
const BASE = { api: { baseUrl: 'https://api.example' }, config: { jobs: [{ endpoint: 'a' }] } };
/** Iterations, children and the wrapped form have the same definitions again. */
const isAgain = ({ keys }: SchemaPlace): boolean =>
  (keys[0] === 'iterations' && keys.length > 3) || (keys.includes('children') && keys.length > 6);
const places = placesOf(schema, { $ref: '#/$defs/bare' }).filter((place) => !isAgain(place));
const wordPlaces = new Set(places.flatMap(({ words }) => words.map(([keys]) => keys.join())));

/** Tells whether a value that is no object and no array may stand, as the codecs say it; whatever is deprecated does not count. */
function takesOne(branch: Schema, above: readonly string[] = []): boolean {
  const name = definitionName(branch);
  if (branch.deprecated === true || name === 'reference' || (name !== undefined && above.includes(name))) return false;
  if (name === 'expression') return true;
  const target = name === undefined ? undefined : schema.$defs[name];
  if (target !== undefined) return takesOne(target, [...above, name ?? '']);
  if (branch.enum !== undefined) return true;
  if ([branch.type].flat().some((type) => /^(?:string|number|integer|boolean)$/.test(type ?? ''))) return true;
  return [...(branch.anyOf ?? []), ...(branch.allOf ?? [])].some((each) => takesOne(each, above));
}

const lastOf = ({ keys }: SchemaPlace): string => keys.at(-1) ?? '';
/** What editors and readers of files read, and what says what the keys beside it mean. */
const isNoValue = ({ keys }: SchemaPlace): boolean =>
  ['$schema', 'extends'].includes(keys[0] ?? '') || wordPlaces.has(keys.join());
/** An object there has a setting of the name `file`. */
const hasOwnFile = (place: SchemaPlace): boolean => lastOf(place) === 'format';

const follow = (place: SchemaPlace, reference: Json) => {
  const config = withValueAt(BASE, place, reference);
  const { references, document } = resolveReferences(config, schema, () => ({ value: 'v' }));
  const path = pathText(place.keys, config);
  return { config, document, path, isFollowed: references.some((each) => each.path === path) };
};
const reported = (some: readonly SchemaPlace[]): readonly string[] => [
  ...new Set(some.map(({ keys, words }) => `${keys.join('.')} ${words.map(([, word]) => word).join()}`.trim())),
];

describe('references over the whole schema', () => {
  it('has many places', () => {
    expect(places.length).toBeGreaterThan(500);
    expect(places.filter(({ branches }) => branches.some((each) => takesOne(each))).length).toBeGreaterThan(300);
  });

  it.each([[{ env: 'X' }], [{ file: '/run/x' }], [{ env: 'X', secret: false }]])(
    'follows %j wherever the schema takes one value',
    (reference) => {
      const lost = places.filter(
        (place) =>
          place.branches.some((each) => takesOne(each)) &&
          !isNoValue(place) &&
          !hasOwnFile(place) &&
          !follow(place, reference).isFollowed,
      );
      expect(reported(lost)).toEqual([]);
    },
  );

  it('offers them in the published schema wherever it follows them', () => {
    const ajv = schemaValidator({ strict: false });
    ajv.addSchema({ $id: 'headwater', $defs: schema.$defs });
    const known = new Map<string, boolean>();
    const isOffered = (branch: Schema): boolean => {
      const text = JSON.stringify(branch).replaceAll('"#/$defs/', '"headwater#/$defs/');
      const before = known.get(text) ?? ajv.validate(JSON.parse(text) as object, { env: 'X' });
      known.set(text, before);
      return before;
    };
    const hidden = someOf(places, 9).filter(
      (place) => !place.branches.some(isOffered) && follow(place, { env: 'X' }).isFollowed,
    );
    expect(reported(hidden)).toEqual([]);
  });

  it('never takes one for the word that says what the keys beside it mean', () => {
    const words = places.filter(({ keys }) => wordPlaces.has(keys.join()));
    expect(words.length).toBeGreaterThan(20);
    for (const place of words) {
      const { config, path, isFollowed } = follow(place, { env: 'X' });
      const { findings } = resolveReferences(config, schema, () => ({ value: 'v' }));
      expect([path, isFollowed, findings.map(({ message }) => message)]).toEqual([
        path,
        false,
        [expect.stringContaining('write the word itself')],
      ]);
    }
  });

  it('follows them in the wrapped form, too', () => {
    const config = { parameters: { api: { baseUrl: { env: 'X' } }, config: { jobs: [{ endpoint: { env: 'X' } }] } } };
    const { references } = resolveReferences(config, schema, () => ({ value: 'v' }));
    expect(references.map(({ path }) => path)).toEqual([
      'parameters.api.baseUrl',
      'parameters.config.jobs[0].endpoint',
    ]);
  });

  it('tells a variable that is not set at each of these places, with its path', () => {
    const silent = someOf(places, 9).filter((place) => {
      const { config, path, isFollowed } = follow(place, { env: 'HEADWATER_SPEC_UNSET' });
      return isFollowed && !faultsOf(config).includes(`${path.replace(/^parameters\./, '')}: ${NOT_SET}`);
    });
    expect(reported(silent)).toEqual([]);
  });
});

const NOT_SET = 'the environment variable HEADWATER_SPEC_UNSET is not set';

function faultsOf(config: Json): readonly string[] {
  try {
    validate(config, { env: {} });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ path, message }) => `${path}: ${message}`);
  }
}
