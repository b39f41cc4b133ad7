import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Api, Job } from '../../language/configuration/configuration';
import { expressionFailed } from '../../core/errors/errors';
import type { Fault } from '../../core/errors/errors';
import type { Scope } from '../../language/expressions/expression';
import { entriesOf, isList, isObject, keysOf } from '../../core/json/objects';
import { stringifyJson } from '../../core/json/stringify';
import { isScalar, textOf, typeName } from '../../core/json/scalars';
import type { Json, JsonScalar } from '../../core/model';
import type { JobPlan, ReachedBy, RunTimes, Slice } from '../plan';
import type { JobSurroundings } from '../defaults';
import { timesContext } from './call-values';
import { allOf, validation } from '../../language/codec/codec';
import type { Checked } from '../../language/codec/codec';
import { compile, isOneMoment, windows, type SentWindow } from './windows';

/** Returns the scope for expressions of a job and its children: the names of its slices are known. */
export function scopeOfJob({ slices }: Job, scope: Scope): Scope {
  if (slices === undefined) return scope;
  const { partition = new Map(), window } = scope.known;
  const names = new Map<string, JsonScalar>([
    ...partition,
    ...keysOf(slices.partitions).map((name) => [name, name] as const),
  ]);
  return {
    ...scope,
    known: {
      ...scope.known,
      ...(names.size === 0 ? {} : { partition: names }),
      ...(slices.window === undefined ? (window === undefined ? {} : { window }) : { window: WINDOW_NAMES }),
    },
  };
}

const WINDOW_NAMES: ReadonlyMap<string, JsonScalar> = new Map([
  ['from', 'from'],
  ['to', 'to'],
]);

/**
 * Compiles the division of a job into several calls (docs/language/jobs.md#windows-and-partitions). A resumed run has
 * the same calls, because its times are those of its first start.
 */
export function slicesOf(
  job: Job,
  { scope: { functions, known }, api }: Pick<JobSurroundings, 'scope' | 'api'>,
): Checked<JobPlan['slices']> {
  const { slices } = job;
  if (slices === undefined) return E.right(undefined);
  const { attr } = known;
  const scope: Scope = { functions, known: attr === undefined ? {} : { attr } };
  const isUsed = uses(job, api);
  return pipe(
    Ap.sequenceS(validation)({
      names: checkNames(job),
      uses: checkUses(job, api),
      partitions: allOf(
        entriesOf(slices.partitions).map(([name, raw]) =>
          partition(
            { name, isWhole: isUsed('partition', name, `{${name}}`) },
            raw,
            `${job.path}.partitions.${name}`,
            scope,
          ),
        ),
      ),
      windows:
        slices.window === undefined
          ? E.right(undefined)
          : windows(slices.window, job.incremental, `${job.path}.window`, scope),
    }),
    E.map(({ partitions, windows: spans }) => (times: RunTimes, reachedBy?: ReachedBy) => {
      const chosen = partitions.map((each) => each(times));
      const inPartitions = chosen.reduce<readonly Slice[]>(
        (sofar, { name, values }) => sofar.flatMap((slice) => values.map((value) => withPartition(slice, name, value))),
        [{ contexts: {}, texts: new Map() }],
      );
      const within = (slice: Slice): readonly Slice[] =>
        spans?.(times, reachedBy?.(slice)).map((window) => withWindow(slice, window)) ?? [slice];
      return {
        slices: inPartitions.flatMap(within),
        secrets: chosen.flatMap(({ secrets }) => secrets),
      };
    }),
  );
}

function withPartition({ contexts, texts }: Slice, name: string, value: PartitionValue): Slice {
  const named = isScalar(value)
    ? [[name, value] as const]
    : Object.entries(value).map(([key, member]) => [`${name}.${key}`, member] as const);
  return {
    contexts: { ...contexts, partition: new Map([...(contexts.partition ?? []), ...named]) },
    texts: new Map([...texts, ...named.map(([each, member]) => [each, textOf(member)] as const)]),
  };
}

const withWindow = ({ contexts, texts }: Slice, { from, to, cap }: SentWindow): Slice => ({
  contexts: {
    ...contexts,
    window: new Map<string, JsonScalar>([
      ['from', from],
      ['to', to],
    ]),
  },
  texts: new Map([...texts, ['window.from', textOf(from)], ['window.to', textOf(to)]]),
  ...(cap === undefined
    ? {}
    : { cap: { ...cap, halves: () => cap.halves().map((half) => withWindow({ contexts, texts }, half)) } }),
});

/** Refuses ambiguous names, and settings that do not go together. */
function checkNames({ path, slices, placeholders, incremental, children }: Job): Checked<void> {
  const names = keysOf(slices?.partitions ?? {});
  const faults = names.flatMap((name): Fault[] => {
    const at = `${path}.partitions.${name}`;
    if (/[{}]/.test(name) || name.startsWith('window.'))
      return [{ path: at, message: 'expected another name: it stands in braces in the endpoint' }];
    if (keysOf(placeholders).includes(name))
      return [{ path: at, message: 'expected another name: a placeholder of the job has this one' }];
    return [];
  });
  const window = slices?.window;
  if (window !== undefined && incremental?.param !== undefined)
    faults.push({
      path: `${path}.incremental.param`,
      message: 'does not go together with "window", which asks for spans of time: leave one of them out',
    });
  if (window !== undefined && window.from === undefined && incremental === undefined)
    faults.push({ path: `${path}.window.from`, message: 'is missing: where the first window begins' });
  if (window?.from !== undefined && incremental?.initial !== undefined)
    faults.push({
      path: `${path}.incremental.initial`,
      message: 'stands in "window" as "from": leave one of them out',
    });
  if (slices?.window?.cap !== undefined && children.length > 0)
    faults.push({
      path: `${path}.window.cap`,
      message:
        'does not go together with "children": they would be called for items of windows that are requested again in halves',
    });
  return faults.length > 0 ? E.left(faults) : E.right(undefined);
}

/**
 * Returns a function that tests whether the requests of a job use a value; userData and item operations do not count.
 */
function uses(job: Job, api: Api): (context: string, name: string, written: string) => boolean {
  const requested = { ...job, slices: undefined, userData: undefined, shaping: undefined };
  return (context, name, written) => names(requested, context, name, written) || names(api, context, name, written);
}

/**
 * Warns of a window of which only one end is sent, unless that end names the whole window, as the date of a day does.
 */
export function halfWindow(job: Job, api: Api): readonly Fault[] {
  const window = job.slices?.window;
  if (window === undefined) return [];
  const isUsed = uses(job, api);
  const sent = ENDS.filter((name) => isUsed('window', name, `{window.${name}}`));
  const [only] = sent;
  if (only === undefined || sent.length > 1 || isOneMoment(window)) return [];
  const message =
    `only {window.${only}} is sent: unless the API takes that for a window of the same length, its items come several times, or ` +
    `some never. Send {window.${only === 'from' ? 'to' : 'from'}}, too`;
  return [{ path: `${job.path}.window`, message }];
}

const ENDS = ['from', 'to'] as const;

/** Refuses values that no request uses: the requests would be equal, and all items would come several times. */
function checkUses(job: Job, api: Api): Checked<void> {
  const { slices } = job;
  if (slices === undefined) return E.right(undefined);
  const isUsed = uses(job, api);
  const faults = keysOf(slices.partitions)
    .filter((name) => !isUsed('partition', name, `{${name}}`) && !isUsed('partition', `${name}.`, `{${name}.`))
    .map((name): Fault => ({
      path: `${job.path}.partitions.${name}`,
      message: `is used nowhere in the job: every value would bring the same items. Write {${name}} or {"partition": "${name}"} where a request has it`,
    }));
  const { window } = slices;
  if (window?.step !== undefined && !ENDS.some((name) => isUsed('window', name, `{window.${name}}`)))
    faults.push({
      path: `${job.path}.window`,
      message:
        'is used nowhere in the job: every window would bring the same items. Write {window.from} and {window.to}, or {"window": "from"} and {"window": "to"}, where a request has them',
    });
  return faults.length > 0 ? E.left(faults) : E.right(undefined);
}

/** Returns whether a name occurs in a decoded part of the configuration, as a placeholder or in an expression. */
function names(part: unknown, context: string, name: string, written: string): boolean {
  if (typeof part === 'string') return part.includes(written);
  if (typeof part !== 'object' || part === null) return false;
  return Object.entries(part).some(
    ([key, value]: readonly [string, unknown]) =>
      (key === context && value === name) || names(value, context, name, written),
  );
}

/** One value of a partition: a scalar, or several by name, which go together. */
type PartitionValue = JsonScalar | Readonly<Record<string, JsonScalar>>;

interface PartitionValues {
  readonly name: string;
  readonly values: readonly PartitionValue[];
  readonly secrets: readonly string[];
}

const partition = (
  /** `isWhole`: a request has a value as it is, which an object cannot be. */
  { name, isWhole }: { readonly name: string; readonly isWhole: boolean },
  raw: Json,
  path: string,
  scope: Scope,
): Checked<(times: RunTimes) => PartitionValues> =>
  pipe(
    compile(raw, path, scope),
    E.map(({ evaluate, usesSecrets }) => (times) => {
      const found = evaluate(timesContext(scope.known, times), times.currentStart);
      if (!isList(found))
        throw expressionFailed({ path, message: `expected an array of values, found ${typeName(found)}` });
      const values = found.map((value, at) => {
        if (isScalar(value) && value !== null && value !== '') return value;
        if (isObject(value) && isWhole)
          throw expressionFailed({
            path: `${path}[${at}]`,
            message: `expected a string or a number, found object: requests have {${name}}; write {${name}.KEY} where they are to have a member`,
          });
        if (isObject(value) && entriesOf(value).every(([, member]) => isScalar(member)))
          return value as Readonly<Record<string, JsonScalar>>;
        const what = isScalar(value) ? JSON.stringify(value) : typeName(value);
        throw expressionFailed({
          path: `${path}[${at}]`,
          message: `expected a string, a number, or an object of these, found ${what}`,
        });
      });
      const texts = values.map((value) => (isScalar(value) ? textOf(value) : stringifyJson(value)));
      const again = texts.find((value, at) => texts.indexOf(value) < at);
      if (again !== undefined)
        throw expressionFailed({
          path,
          message: `${JSON.stringify(again)} stands there twice: its items would come twice`,
        });
      return { name, values, secrets: usesSecrets ? texts : [] };
    }),
  );
