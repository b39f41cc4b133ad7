/** The parts of the language that a configuration can name: built-in parts, and parts that a user adds. */
import { left, right } from 'fp-ts/lib/Either';
import type { Either } from 'fp-ts/lib/Either';
import { catchError, from, map as mapEach, throwError } from 'rxjs';
import type { DurableSink } from '../../core/durable-sink';
import type { Fault } from '../../core/errors/errors';
import { typeName } from '../../core/json/scalars';
import type { Credentials, CredentialSource, Json, Request } from '../../core/model';
import { valid, map } from '../codec/codec';
import type { Checked } from '../codec/codec';
import type { UnknownKeyPolicy } from '../codec/unknown-key';
import type { FunctionDefinition } from '../expressions/functions/define';
import type { AuthenticationDefinition, AuthenticationPlace, AuthenticationPlan, Surroundings } from './authentication';
import { PartError, errorOfPart, named } from './errors';
import type { PartName } from './errors';
import type { ChosenFormat, FormatDefinition } from './format';
import type { MiddlewareDefinition } from './middleware';
import type { PaginationDefinition } from './pagination/pagination';
import type { JobFacts, Next, Paginator, Step } from './pagination/paginator';
import type { SinkDefinition, SinkOutline } from './sink';

/** A part that an application may add: the result of `definePagination` and similar functions. */
export type Part =
  | AuthenticationDefinition
  | FormatDefinition
  | FunctionDefinition
  | MiddlewareDefinition
  | PaginationDefinition
  | SinkDefinition;

/** A part that the codec of configurations reads, or that expressions call. */
type LanguagePart = Exclude<Part, MiddlewareDefinition | SinkDefinition>;

type LanguageKind = LanguagePart['kind'];

/** A part of one kind. */
export type PartOf<K extends Part['kind']> = Extract<Part, { readonly kind: K }>;

/** Parts of the kinds that the codec of configurations reads, or that expressions call, by kind and name. */
export type LanguageParts = { readonly [K in LanguageKind]: ReadonlyMap<string, PartOf<K>> };

/** All parts, by kind and name. */
export type Parts = LanguageParts & {
  /** Sinks by name; a user's sink comes first, and may have the name of a built-in one. */
  readonly sink: ReadonlyMap<string, SinkOutline>;
};

/** Sorts parts by name: the order of a module's exports depends on its bundler. */
export const byName = <P extends LanguagePart>(parts: Iterable<P>): ReadonlyMap<string, P> =>
  new Map(Array.from(parts, (part) => [part.name, part] as const).sort(([a], [b]) => (a < b ? -1 : 1)));

type PartKind = Part['kind'];

type Shape = 'string' | 'array' | 'object' | 'function';
/** The members that a definition needs at least: without them it cannot work. */
interface Behaviour {
  authentication: 'compile';
  pagination: 'paginator';
  format: 'read';
  function: never;
  middleware: never;
  sink: never;
}
type Needed<P> = { [M in keyof P]-?: undefined extends P[M] ? never : M }[keyof P];
type Members<K extends PartKind> = Readonly<Record<Exclude<Needed<PartOf<K>>, 'kind'> | Behaviour[K], Shape>>;

const CONFIGURED = { name: 'string', options: 'object', codec: 'function' } as const;

/** The members of each kind of definition without which it cannot work, regardless of its author. */
const MEMBERS: { readonly [K in PartKind]: Members<K> } = {
  authentication: { ...CONFIGURED, compile: 'function' },
  pagination: { ...CONFIGURED, paginator: 'function' },
  format: { ...CONFIGURED, label: 'string', otherNames: 'object', contentTypes: 'array', read: 'function' },
  middleware: { name: 'string', around: 'string', middleware: 'function' },
  sink: { name: 'string', schemes: 'array', address: 'array', create: 'function' },
  function: { name: 'string', arguments: 'array', call: 'function' },
};

const AROUND: readonly PartOf<'middleware'>['around'][] = ['request', 'attempt'];

const KINDS = Object.keys(MEMBERS);

/** Returns the fault of a definition, which a user may have written in JavaScript; nothing if it is usable. */
function wrongWith(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null)
    return `expected a definition, as definePagination and the like give it, found ${foundName(part)}`;
  const kind: unknown = Reflect.get(part, 'kind');
  if (!isKind(kind)) return `expected a definition whose kind is one of ${KINDS.join(', ')}, found ${foundName(kind)}`;
  const [member, shape] = Object.entries<Shape>(MEMBERS[kind]).find(([key, each]) => !has(part, key, each)) ?? [];
  const name: unknown = Reflect.get(part, 'name');
  const what = typeof name === 'string' ? `the ${kind} "${name}"` : `the ${kind}`;
  if (member !== undefined) return `${what} lacks "${member}": expected ${article(shape)}`;
  if (kind === 'middleware' && !AROUND.some((around) => around === Reflect.get(part, 'around')))
    return `${what} has an "around" that is none: expected one of ${AROUND.join(', ')}`;
  const options: unknown = Reflect.get(part, 'options') ?? {};
  const option = Object.entries(options as object).find(([, field]) => !isField(field))?.[0];
  return option === undefined
    ? undefined
    : `${what} has an option "${option}" that is no field: make it with required, optional, withDefault or always`;
}

const isKind = (kind: unknown): kind is PartKind => typeof kind === 'string' && Object.hasOwn(MEMBERS, kind);

function has(part: object, key: string, shape: Shape): boolean {
  const value: unknown = Reflect.get(part, key);
  if (shape === 'array') return Array.isArray(value);
  if (shape === 'object') return typeof value === 'object' && value !== null;
  return typeof value === shape && value !== '';
}

const isField = (field: unknown): boolean =>
  typeof field === 'object' &&
  field !== null &&
  typeof Reflect.get(field, 'presence') === 'string' &&
  typeof Reflect.get(field, 'codec') === 'object';

const article = (shape: Shape | undefined): string =>
  shape === 'array' || shape === 'object' ? `an ${shape}` : `a ${shape ?? 'value'}`;

const foundName = (value: unknown): string =>
  typeof value === 'function' ? 'function' : typeName(value as Json | undefined);

/**
 * Checks the results of an application's parts at the boundary: they may be written in JavaScript, and a promise or
 * `undefined` in the place of a value would pass for an empty one, so that items, parameters or credentials would
 * silently be missing.
 */

/**
 * Returns the part with checked results: an unusable result, or an error that it throws, is a {@link PartError} with the
 * names of the part and of its member.
 */
export function guarded<P extends Part>(part: P): P;
export function guarded(part: Part): Part {
  switch (part.kind) {
    case 'function': {
      const { call } = named(part, part);
      return { ...part, call: (args, now) => jsonOf(part, 'call', call(args, now)) };
    }
    case 'format': {
      const chosen = (format: ChosenFormat): ChosenFormat => ({
        ...format,
        read: (text) => jsonOf(part, 'read', format.read(text)),
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
            paginator: (job: JobFacts) => paginatorOf(part, chosen.paginator(job)),
          })),
      };
    case 'authentication':
      return {
        ...part,
        codec: (policy: UnknownKeyPolicy, around: Surroundings) =>
          map(part.name, part.codec(policy, around), (chosen) => ({
            ...chosen,
            compile: (place: AuthenticationPlace) => planOf(part, chosen.compile(place)),
          })),
      };
    case 'sink':
      return { ...part, create: (...args) => sinkOf(part, named(part, part).create(...args)) };
    case 'middleware':
      return part;
  }
}

/** Returns the error of a member that gave something of the wrong shape. */
const misshapen = (part: PartName, member: string, problem: string): PartError =>
  new PartError(part, member, `${member}(…) gave ${problem}`);

function jsonOf(part: PartName, member: string, value: unknown): Json {
  const other = notJson(value, '', []);
  if (other !== undefined)
    throw misshapen(part, member, `something that is no JSON: ${other}. A part cannot wait for a promise.`);
  // The value was checked above.
  return value as Json;
}

/** Returns what in a value is not JSON, or is a cycle, and its path. */
function notJson(value: unknown, path: string, above: readonly object[]): string | undefined {
  if (value === null || ['string', 'boolean', 'bigint'].includes(typeof value)) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return undefined;
  const shown = `${nameOf(value)}${path === '' ? '' : ` at ${path}`}`;
  if (typeof value !== 'object' || above.includes(value)) return shown;
  const inner = [...above, value];
  if (!Array.isArray(value) && !isPlain(value)) return shown;
  // Array.from turns each hole into an element.
  const members: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? Array.from(value, (element: unknown, at) => [`[${at}]`, element])
    : Object.entries(value).map(([key, member]: readonly [string, unknown]) => [`["${key}"]`, member]);
  for (const [key, member] of members) {
    const other = notJson(member, path + key, inner);
    if (other !== undefined) return other;
  }
  return undefined;
}

/** Returns whether an object is plain, by its tag, because an object of another realm has another prototype. */
const isPlain = (value: object): boolean => Object.prototype.toString.call(value) === '[object Object]';

function nameOf(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  return typeof value === 'number' ? String(value) : Object.prototype.toString.call(value).slice(8, -1);
}

const WAYS: readonly Paginator['by'][] = ['position', 'address', 'token', 'nothing'];

function paginatorOf(part: PartName, found: unknown): Paginator {
  if (!isRecord(found) || typeof found['next'] !== 'function' || typeof found['at'] !== 'function')
    throw misshapen(part, 'paginator', 'no paginator: expected an object with `by`, `first`, `at` and `next`.');
  if (!WAYS.some((by) => by === found['by']))
    throw misshapen(part, 'paginator', `one whose \`by\` is none: expected one of ${WAYS.join(', ')}.`);
  const paginator = named(part, found as unknown as Paginator);
  const { first, at, next, after, beyond, identityOf, leavesOut, repeated } = paginator;
  const stepOf = (member: string, step: unknown): Step => {
    if (isStep(step)) return step;
    throw misshapen(part, member, 'no step: expected { change, position }, where position is JSON.');
  };
  const checked = <T>(member: string, value: T, is: boolean, expected: string): T => {
    if (is) return value;
    throw misshapen(part, member, `something else than ${expected}.`);
  };
  if (!isStep(first))
    throw new PartError(part, 'first', 'first is no step: expected { change, position }, where position is JSON.');
  return {
    ...paginator,
    at: (position) => stepOf('at', at(position)),
    next: (arrival) => {
      // The method may change its array: the page keeps its items.
      const own = {
        ...arrival,
        get items() {
          return [...arrival.items];
        },
      };
      const given: unknown = next(own);
      if (isStop(given)) return given;
      if (isRecord(given) && given['kind'] === 'step')
        return { ...given, kind: 'step', step: stepOf('next', given['step']) };
      throw misshapen(part, 'next', 'neither a step nor a stop: expected what goOn or stop give.');
    },
    ...(after === undefined ? {} : { after: (step) => stepOf('after', after(step)) }),
    ...(beyond === undefined ? {} : { beyond: (step, count, page) => stepOf('beyond', beyond(step, count, page)) }),
    ...(identityOf === undefined
      ? {}
      : {
          identityOf: (item) => {
            const identity: unknown = identityOf(item);
            return checked('identityOf', identity as string, typeof identity === 'string', 'a string');
          },
        }),
    ...(leavesOut === undefined
      ? {}
      : {
          leavesOut: (items) => {
            const does: unknown = leavesOut(items);
            return checked('leavesOut', does as boolean, typeof does === 'boolean', 'true or false');
          },
        }),
    ...(repeated === undefined
      ? {}
      : {
          repeated: (arrival) => {
            const indexes: unknown = repeated(arrival);
            const is = Array.isArray(indexes) && indexes.every(Number.isInteger);
            return checked('repeated', indexes as readonly number[], is, 'an array of indexes');
          },
        }),
  };
}

const isStop = (next: unknown): next is Next & { readonly kind: 'stop' } =>
  isRecord(next) && next['kind'] === 'stop' && typeof next['because'] === 'string';

const isStep = (step: unknown): step is Step =>
  isRecord(step) && isRecord(step['change']) && notJson(step['position'], '', []) === undefined;

function planOf(part: PartName, checked: unknown): Checked<AuthenticationPlan> {
  if (isFaults(checked)) return checked;
  const given: unknown = isRecord(checked) && checked['_tag'] === 'Right' ? checked['right'] : undefined;
  if (!isPlan(given))
    throw misshapen(part, 'compile', 'nothing that can be used: expected valid({ secrets, source }) or invalid(…).');
  const plan = named(part, given);
  return valid({ ...plan, source: (runtime) => sourceOf(part, plan.source(runtime)) });
}

function sourceOf(part: PartName, given: unknown): CredentialSource {
  if (!isSource(given))
    throw misshapen(part, 'source', 'no credentials: expected { credentials$, invalidate }, as perRequest does.');
  const source = named(part, given);
  // The source knows its credentials by their identity.
  const written = new WeakMap<Credentials, Credentials>();
  return {
    credentials$: from(source.credentials$).pipe(
      mapEach((credentials: unknown) => {
        if (!isCredentials(credentials))
          throw new PartError(part, 'credentials$', 'credentials$ emitted something else than { apply, refusedBy }.');
        const ready = credentialsOf(part, credentials);
        written.set(ready, credentials);
        return ready;
      }),
      catchError((error: unknown) => throwError(() => errorOfPart(part, 'credentials$', error, 'credentials$ failed'))),
    ),
    invalidate: (credentials, response) => {
      source.invalidate(written.get(credentials) ?? credentials, response);
    },
  };
}

function credentialsOf(part: PartName, given: Credentials): Credentials {
  const credentials = named(part, given);
  const apply = (request: Request): Request => {
    const applied: unknown = credentials.apply(request);
    if (isRecord(applied) && typeof applied['url'] === 'string' && isRecord(applied['headers']))
      return applied as unknown as Request;
    throw misshapen(part, 'apply', 'no request: expected the one that it got, with credentials.');
  };
  return { ...credentials, apply };
}

const isCredentials = (credentials: unknown): credentials is Credentials =>
  isRecord(credentials) && typeof credentials['apply'] === 'function' && Array.isArray(credentials['refusedBy']);

/** Returns the sink with named errors; its type requires everything, but sinks may be written in JavaScript. */
function sinkOf(part: PartName, sink: DurableSink): DurableSink {
  const lacking = OF_A_SINK.find((member) => typeof Reflect.get(Object(sink) as object, member) !== 'function');
  if (lacking === undefined) return named(part, sink);
  throw misshapen(
    part,
    'create',
    `a sink that lacks "${lacking}": expected what durableSink or sinks.transient gives.`,
  );
}

const OF_A_SINK = ['open', 'begin', 'write', 'commit', 'close'] as const satisfies readonly (keyof DurableSink)[];

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

/** Names with another meaning in the place of a part's name. */
const RESERVED: Readonly<Partial<Record<Part['kind'], readonly string[]>>> = { pagination: ['multiple'] };

/**
 * Returns the parts of Headwater and those of a user, who may have written them in JavaScript.
 *
 * @param builtIn the parts of Headwater itself
 * @returns the faults of the definitions, at `components[0]` and so on: an unknown kind, a missing member, a name in
 *   use
 * @example partsWith([slug], BUILT_IN) // right(parts), where parts.function.get('slug') is slug
 */
export function partsWith(components: readonly Part[], builtIn: Parts): Either<readonly Fault[], Parts> {
  if (!isArray(components)) return left([{ path: 'components', message: 'expected an array of definitions' }]);
  if (components.length === 0) return right(builtIn);
  const language: LanguageParts = builtIn;
  const faults = components.flatMap((part, at) => {
    const before = components.slice(0, at).filter((other) => wrongWith(other) === undefined);
    const message = wrongWith(part) ?? takenBy(part, before, language);
    return message === undefined ? [] : [{ path: `components[${at}]`, message }];
  });
  if (faults.length > 0) return left(faults);
  const of = <K extends keyof LanguageParts>(kind: K): ReadonlyMap<string, PartOf<K>> =>
    byName([
      ...language[kind].values(),
      ...components.map(guarded).filter((part): part is PartOf<K> => part.kind === kind),
    ]);
  return right({
    authentication: of('authentication'),
    pagination: of('pagination'),
    format: of('format'),
    function: of('function'),
    sink: new Map(
      [...components.filter((part) => part.kind === 'sink'), ...builtIn.sink.values()]
        .filter(({ name }, at, all) => all.findIndex((other) => other.name === name) === at)
        .map((sink) => [sink.name, sink]),
    ),
  });
}

const isInLanguage = (kind: string, language: LanguageParts): kind is keyof LanguageParts =>
  Object.hasOwn(language, kind) && kind !== 'sink';

/** Does not narrow the type: by its type the value is an array already. */
const isArray = (value: unknown): boolean => Array.isArray(value);

function takenBy({ kind, name }: Part, before: readonly Part[], language: LanguageParts): string | undefined {
  const isTaken =
    (isInLanguage(kind, language) && language[kind].has(name)) ||
    RESERVED[kind]?.includes(name) === true ||
    before.some((part) => part.kind === kind && part.name === name);
  return isTaken ? `the name "${name}" is taken by another part of the kind ${kind}; choose another one` : undefined;
}
