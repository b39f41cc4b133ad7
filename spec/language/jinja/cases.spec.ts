/** Every template of published manifests, with the value or the error that Airbyte's own evaluator has. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonObject } from '../../../src';
import { jinjaOf } from '../../../src/language/jinja/jinja';

interface Outcome {
  readonly context: JsonObject;
  readonly value?: unknown;
  readonly error?: string;
}

interface Case {
  readonly text: string;
  readonly custom: boolean;
  readonly full?: Outcome;
  readonly empty?: Outcome;
}

const FILE = join(__dirname, '../../../../shared/airbyte/expressions.json');
const NOW = Date.UTC(2024, 2, 5, 12);

const ROOTS = [
  ...['config', 'parameters', 'response', 'record', 'headers', 'stream_slice', 'next_page_token', 'last_record'],
  ...['parent_record', 'creation_response', 'polling_response', 'download_target'],
];

function outcomeOf(text: string, { context }: Outcome): { readonly value?: unknown; readonly error?: string } {
  // The CDK refuses the state of a stream.
  const known = Object.entries(context).filter(([name]) => name !== 'stream_state');
  const given = Object.fromEntries<Json>([...ROOTS.map((name) => [name, {}] as const), ...known]);
  const slice = given['stream_slice'] ?? {};
  try {
    return { value: jinjaOf(text).evaluate({ ...given, stream_partition: slice, stream_interval: slice }, NOW) };
  } catch (error) {
    return { error: String(error) };
  }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

(existsSync(FILE) ? describe : describe.skip)('the templates of published manifests', () => {
  const cases = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as readonly Case[]) : [];
  const all = cases.flatMap(({ text, custom, full, empty }) =>
    [full, empty].flatMap((outcome) => (outcome === undefined ? [] : [{ text, custom, outcome }])),
  );

  it('have the values of the CDK, at least 99 of 100', () => {
    const valued = all.filter(({ outcome, custom }) => outcome.error === undefined && !custom);
    const differing = valued.filter(({ text, outcome }) => !isSame(outcomeOf(text, outcome).value, outcome.value));
    expect(valued.length).toBeGreaterThan(1000);
    expect(differing.length / valued.length).toBeLessThan(0.01);
  });

  it('fail where the CDK fails', () => {
    const failing = all.filter(({ outcome }) => outcome.error !== undefined);
    const silent = failing.filter(({ text, outcome }) => outcomeOf(text, outcome).error === undefined);
    expect(silent.length / failing.length).toBeLessThan(0.01);
  });
});
