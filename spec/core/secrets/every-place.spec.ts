/** A secret from outside shows nowhere, at whatever place of the schema it stands. */
import { explainConfiguration, extract, preview, requestsOf, validate } from '../../../src';
import type { Har, Json, Validation } from '../../../src';
import { BUILT_IN } from '../../../src/run/built-in-parts';
import { resolveReferences } from '../../../src/language/references/reference';
import { configurationSchema } from '../../support/language';
import { stringifyJson } from '../../../src/core/json/stringify';
import { scriptedApi } from '../../../src/testing';
import { someOf } from '../../support/cases';
import { placesOf, withValueAt } from '../../support/schema-places';
import type { SchemaPlace } from '../../support/schema-places';

const SECRET = 'sEc9-Xq7vT2';
const env = { HEADWATER_SPEC_SECRET: SECRET };
const reference = { env: 'HEADWATER_SPEC_SECRET' };
const BASE = {
  api: { baseUrl: 'https://api.example', retryConfig: { maxRetries: 0 } },
  config: {
    '#password': 'pass-9182-word',
    username: 'jane',
    jobs: [{ endpoint: 'a', children: [{ endpoint: 'b/{id}', placeholders: { id: 'id' } }] }],
  },
};
/** Children and iterations have the definitions of jobs and of `config` again. */
const isAgain = ({ keys }: SchemaPlace): boolean =>
  ['iterations', '$schema', 'extends'].includes(keys[0] ?? '') ||
  (keys.includes('children') && keys.length > 4) ||
  keys.includes('scrollers');
const schema = configurationSchema(BUILT_IN);
const places = placesOf(schema, { $ref: '#/$defs/bare' }).filter((place) => !isAgain(place));

const api = scriptedApi([
  { path: '*', answer: { json: { items: [{ id: 1, next: 2 }], access_token: 'x-77-y', total: 1 } } },
]);

/** What the command prints of it; the rest names tables for who opens destinations. */
const reported = ({ jobs, warnings, unset }: Validation): object => ({ jobs, warnings, unset });

/** What a call gives, or how it fails, as a person may get to see it. */
async function reportedBy(act: () => unknown): Promise<string> {
  try {
    return stringifyJson((await act()) as Json);
  } catch (error) {
    return `${String(error)} ${error instanceof Error ? (error.stack ?? '') : ''} ${JSON.stringify(error)}`;
  }
}

async function runOf(config: Json): Promise<Json> {
  const reported: unknown[] = [];
  let recorded: Har | undefined;
  const log = (...line: readonly unknown[]): void => void reported.push(line);
  const extraction = extract(config, {
    env,
    fetch: api.fetch,
    logger: { log },
    record: (har) => void (recorded = har),
  });
  const failure = await new Promise<string>((resolve) => {
    extraction.events$.subscribe({
      // A page is data; what is told of it is masked where it is logged.
      next: (event) => event.type !== 'page.extracted' && reported.push(event),
      error: () => undefined,
    });
    extraction.items$.subscribe({ error: (error: unknown) => resolve(String(error)), complete: () => resolve('') });
  });
  return [JSON.stringify(reported), failure, JSON.stringify(recorded ?? null)];
}

/** Where it is followed; elsewhere it is no value. */
const followed = places.filter(
  (place) =>
    resolveReferences(withValueAt(BASE, place, reference), schema, () => ({ value: 'v' })).references.length > 0,
);
const nameOf = ({ keys, words }: SchemaPlace): string => [keys.join('.'), ...words.map(([, word]) => word)].join(' ');

describe('a secret at every place of the schema', () => {
  it('has many places', () => {
    expect(followed.length).toBeGreaterThan(300);
  });

  it.each<[string, (config: Json) => unknown]>([
    ['validate', (config) => reported(validate(config, { env }))],
    ['explain', (config) => explainConfiguration(config, { env })],
    ['plan and plan --curl', (config) => requestsOf(config, { env })],
  ])('is not shown by %s', async (_, act) => {
    const shown: string[] = [];
    for (const place of someOf(followed, 8))
      if ((await reportedBy(() => act(withValueAt(BASE, place, reference)))).includes(SECRET))
        shown.push(nameOf(place));
    expect(shown).toEqual([]);
  });

  it.each<[string, (config: Json) => unknown]>([
    ['a preview', (config) => preview(config, { env, fetch: api.fetch })],
    ['the log, the events, the errors and the recording of a run', runOf],
  ])(
    'is not shown by %s',
    async (_, act) => {
      const shown: string[] = [];
      for (const place of someOf(followed, 8))
        if ((await reportedBy(() => act(withValueAt(BASE, place, reference)))).includes(SECRET))
          shown.push(nameOf(place));
      expect(shown).toEqual([]);
    },
    120_000,
  );
});
