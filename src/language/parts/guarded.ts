/**
 * What parts of an application give is looked at where it enters: they may be written in JavaScript, and a promise or nothing
 * in the place of a value would pass for an empty one, so that items, parameters or credentials would be missing in silence.
 */
import { map } from '../codec/codec';
import type { AuthenticationPlace, AuthenticationPlan } from './authentication/authentication';
import type { Surroundings } from './authentication/surroundings';
import { valid } from '../codec/checked';
import type { Checked } from '../codec/checked';
import type { UnknownKeyPolicy } from '../codec/unknown-key';
import { HeadwaterError } from '../../core/errors/errors';
import { ScriptError } from '../expressions/script-error';
import type { ChosenFormat } from './format/define';
import { Unreadable } from './format/unreadable';
import type { CredentialSource, Json } from '../../core/model';
import type { JobFacts, Next, Paginator, Step } from './pagination/paginator';
import type { Part } from './parts';

/** The part itself, but what is no use of what it gives is a defect that bears its name, as is what it throws. */
export function guarded(part: Part): Part {
  const what = `The ${part.kind} "${part.name}"`;
  switch (part.kind) {
    case 'function':
      return { ...part, call: (args, now) => jsonOf(what, 'gave', () => part.call(args, now)) };
    case 'format': {
      const chosen = (format: ChosenFormat): ChosenFormat => ({
        ...format,
        read: (text) => jsonOf(what, 'read', () => format.read(text)),
      });
      return {
        ...part,
        contentTypes: part.contentTypes.map((known) => ({ ...known, format: chosen(known.format) })),
        codec: (policy: UnknownKeyPolicy) => map(part.name, part.codec(policy), chosen),
      };
    }
    case 'pagination':
      return {
        ...part,
        codec: (policy: UnknownKeyPolicy) =>
          map(part.name, part.codec(policy), (chosen) => ({
            ...chosen,
            paginator: (job: JobFacts) => paginatorOf(what, () => chosen.paginator(job)),
          })),
      };
    case 'authentication':
      return {
        ...part,
        codec: (policy: UnknownKeyPolicy, around: Surroundings) =>
          map(part.name, part.codec(policy, around), (chosen) => ({
            ...chosen,
            compile: (place: AuthenticationPlace) => planOf(what, () => chosen.compile(place)),
          })),
      };
    case 'middleware':
    case 'sink':
      return part;
  }
}

/** @throws Error that says which part is at fault, unless the error says what is at fault itself */
function told<T>(what: string, ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    if (error instanceof HeadwaterError || error instanceof ScriptError || error instanceof Unreadable) throw error;
    throw new Error(`${what} failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

const defect = (what: string, problem: string): Error => new Error(`${what} ${problem}`);

function jsonOf(what: string, verb: string, ask: () => unknown): Json {
  const value = told(what, ask);
  const other = notJson(value, '', []);
  if (other !== undefined)
    throw defect(what, `${verb} something that is no JSON: ${other}. A part cannot wait for a promise.`);
  // Just looked at.
  return value as Json;
}

/** What in a value is no JSON, or stands in itself, and where. */
function notJson(value: unknown, path: string, above: readonly object[]): string | undefined {
  if (value === null || ['string', 'boolean', 'bigint'].includes(typeof value)) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return undefined;
  const shown = `${nameOf(value)}${path === '' ? '' : ` at ${path}`}`;
  if (typeof value !== 'object' || above.includes(value)) return shown;
  const inner = [...above, value];
  if (!Array.isArray(value) && !isPlain(value)) return shown;
  // Array.from makes an element of each hole.
  const members: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? Array.from(value, (element: unknown, at) => [`[${at}]`, element])
    : Object.entries(value).map(([key, member]: readonly [string, unknown]) => [`["${key}"]`, member]);
  for (const [key, member] of members) {
    const other = notJson(member, path + key, inner);
    if (other !== undefined) return other;
  }
  return undefined;
}

/** By its tag, since an object of another realm has another prototype. */
const isPlain = (value: object): boolean => Object.prototype.toString.call(value) === '[object Object]';

function nameOf(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  return typeof value === 'number' ? String(value) : Object.prototype.toString.call(value).slice(8, -1);
}

const WAYS: readonly Paginator['by'][] = ['position', 'address', 'token', 'nothing'];

function paginatorOf(what: string, ask: () => Paginator): Paginator {
  const found: unknown = told(what, ask);
  if (!isRecord(found) || typeof found['next'] !== 'function' || typeof found['at'] !== 'function')
    throw defect(what, 'gave no paginator: expected an object with `by`, `first`, `at` and `next`.');
  if (!WAYS.some((by) => by === found['by']))
    throw defect(what, `gave a paginator whose \`by\` is none: expected one of ${WAYS.join(', ')}.`);
  const paginator = found as unknown as Paginator;
  const { after, beyond } = paginator;
  const stepOf = (from: string, give: () => unknown): Step => {
    const step = told(what, give);
    if (isStep(step)) return step;
    throw defect(what, `gave no step in \`${from}\`: expected { change, position }, where position is JSON.`);
  };
  return {
    ...paginator,
    first: stepOf('first', () => paginator.first),
    at: (position) => stepOf('at', () => paginator.at(position)),
    next: (arrival) => {
      // What the method does to the array is its own affair: the page keeps its items.
      const own = {
        ...arrival,
        get items() {
          return [...arrival.items];
        },
      };
      const next: unknown = told(what, () => paginator.next(own));
      if (isStop(next)) return next;
      if (isRecord(next) && next['kind'] === 'step') return { kind: 'step', step: stepOf('next', () => next['step']) };
      throw defect(what, 'gave neither a step nor a stop in `next`: expected what goOn or stop give.');
    },
    ...(after === undefined ? {} : { after: (step) => stepOf('after', () => after(step)) }),
    ...(beyond === undefined
      ? {}
      : { beyond: (step, count, page) => stepOf('beyond', () => beyond(step, count, page)) }),
  };
}

const isStop = (next: unknown): next is Next & { readonly kind: 'stop' } =>
  isRecord(next) && next['kind'] === 'stop' && typeof next['because'] === 'string';

const isStep = (step: unknown): step is Step =>
  isRecord(step) && isRecord(step['change']) && notJson(step['position'], '', []) === undefined;

function planOf(what: string, ask: () => unknown): Checked<AuthenticationPlan> {
  const checked = told(what, ask);
  if (isFaults(checked)) return checked;
  const plan: unknown = isRecord(checked) && checked['_tag'] === 'Right' ? checked['right'] : undefined;
  if (!isPlan(plan))
    throw defect(what, 'compiled to nothing that can be used: expected valid({ secrets, source }) or invalid(…).');
  return valid({
    ...plan,
    source: (runtime) => {
      const source: unknown = told(what, () => plan.source(runtime));
      if (isSource(source)) return source;
      throw defect(
        what,
        'has no credentials: expected `source` to give { credentials$, invalidate }, as perRequest does.',
      );
    },
  });
}

const isFaults = (checked: unknown): checked is Checked<never> =>
  isRecord(checked) && checked['_tag'] === 'Left' && Array.isArray(checked['left']);

const isPlan = (plan: unknown): plan is AuthenticationPlan =>
  isRecord(plan) &&
  typeof plan['source'] === 'function' &&
  Array.isArray(plan['secrets']) &&
  plan['secrets'].every((secret) => typeof secret === 'string');

const isSource = (source: unknown): source is CredentialSource =>
  isRecord(source) && isRecord(source['credentials$']) && typeof source['invalidate'] === 'function';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
