/** How values of the pagination get to their places in a request. */
import { FatalError } from '../../../core/errors/errors';
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../../core/json/keys';
import { withMember } from '../../../core/json/literals';
import { sameJson } from '../../../core/json/same';
import { stringifyJson } from '../../../core/json/stringify';
import { isScalar, textOf, typeName } from '../../../core/json/text';
import type { Json, JsonObject } from '../../../core/model';
import type { RequestChange } from '../../requests/change';
import { isHeaderValue } from '../../../core/url/header-text';
import type { JobFacts } from './paginator';
import { isTemplated, PLACEHOLDER, type Member, type Place } from './place';

/** What of a job a place is in. */
interface Holder {
  readonly params: JsonObject;
  readonly body?: Json;
  /** Whatever is there: the parameters are the variables of a GraphQL document. */
  readonly graphql?: object | true;
}

const VARIABLES = 'variables';

/** A value for a place. */
export interface Placement {
  readonly place: Place;
  readonly value: Json;
  /** What else a template may show, by the names of its placeholders. */
  readonly beside?: Readonly<Record<string, number>>;
}

/** The keys of a place inside the parameters of a job, or inside its body; `undefined` for a header. */
export function memberOf(at: Place, { graphql }: Pick<Holder, 'graphql'>): Member | undefined {
  const written = !isTemplated(at) ? at : 'param' in at ? at.param : undefined;
  const isInVariables = graphql !== undefined && isList(written) && written.length > 1 && written[0] === VARIABLES;
  return isInVariables ? written.slice(1) : written;
}

/** The same, where nothing is around the value. */
const wholeOf = (at: Place, job: Holder): Member | undefined =>
  isTemplated(at) && at.template !== undefined ? undefined : memberOf(at, job);

/** A name is a parameter; keys lead into the body where the job has one of its own, else into the parameters. */
const rootOf = (at: Member, { body }: Holder): 'params' | 'body' =>
  typeof at !== 'string' && body !== undefined ? 'body' : 'params';

/** What the configuration calls what a place is in. */
const writtenAs = (root: 'params' | 'body', { graphql }: Holder): string =>
  root === 'params' && graphql !== undefined ? VARIABLES : root;

/** What a job has itself at a place, where nothing is around it, and where that is in the configuration. */
export function ownAt(job: Holder, at: Place): { readonly value: Json | undefined; readonly path: string } {
  const wanted = wholeOf(at, job);
  if (wanted === undefined) return { value: undefined, path: '' };
  const root = rootOf(wanted, job);
  const steps = [wanted].flat();
  const value = steps.reduce<Json | undefined>(
    (inner, key) => (isObject(inner) ? ownValue(inner, key) : undefined),
    job[root],
  );
  return { value, path: [writtenAs(root, job), ...steps].join('.') };
}

/** Where a job has something else than an object on the way to a place, in words; `undefined` where it has not. */
export function misfit(job: Holder, at: Place): { readonly path: string; readonly message: string } | undefined {
  const wanted = memberOf(at, job);
  if (wanted === undefined || typeof wanted === 'string') return undefined;
  const root = rootOf(wanted, job);
  let value: Json | undefined = job[root];
  for (const [index, key] of wanted.entries()) {
    if (isNothing(value)) return undefined;
    if (!isObject(value)) {
      const message = `pagination sets ${stringifyJson(wanted)} in it, so it has to be an object, found a value of type ${typeName(value)}`;
      return { path: [writtenAs(root, job), ...wanted.slice(0, index)].join('.'), message };
    }
    value = ownValue(value, key);
  }
  return undefined;
}

/** The fault of a job whose parameter or body has a string where a template would replace it; `undefined` for none. */
export function overwritten(job: Holder, at: Place): { readonly path: string; readonly message: string } | undefined {
  if (!isTemplated(at) || at.template === undefined || 'header' in at) return undefined;
  const { value, path } = ownAt(job, { param: at.param });
  if (typeof value !== 'string' || value === '' || madeBy(at.template).test(value)) return undefined;
  const message =
    `the template of the pagination, ${JSON.stringify(at.template)}, takes its place, and pages would be asked for without it: ` +
    'let the template have it, or send it elsewhere';
  return { path, message };
}

/** The texts that a template makes. */
const madeBy = (template: string): RegExp =>
  new RegExp(
    `^${template
      .split(/\{[A-Za-z]+\}/)
      .map(escaped)
      .join('.*')}$`,
    's',
  );

const escaped = (text: string): string => text.replace(/[.*+?^$(){}|[\]\\]/g, '\\$&');

/** An empty array is how some tools write an empty object. */
const isNothing = (value: Json | undefined): boolean =>
  value === undefined || value === null || (isList(value) && value.length === 0);

/** @throws FatalError CONFIG_INVALID where a value of the job stands in the way of a place */
export function requireRoom(job: Holder & { readonly path: string }, places: readonly Place[]): void {
  for (const at of places) {
    const found = misfit(job, at);
    if (found !== undefined) throw new FatalError('CONFIG_INVALID', `${job.path}.${found.path}: ${found.message}`);
  }
}

/**
 * The parameters, the body and the headers of a request, with values at their places; all else is as the job has it.
 *
 * @throws FatalError NEXT_PAGE for a value that a header cannot hold
 * @example placed(job, [{ place: ['variables', 'offset'], value: 20 }])
 */
export function placed(
  job: Pick<JobFacts, 'path' | 'params' | 'body' | 'graphql'>,
  values: readonly Placement[],
): Pick<RequestChange, 'params' | 'body' | 'headers'> {
  let { params, body } = job;
  const headers: Record<string, string> = {};
  for (const { place: at, value, beside = {} } of values) {
    const sent = isTemplated(at) && at.template !== undefined ? filled(at.template, value, beside) : value;
    const wanted = memberOf(at, job);
    if (wanted === undefined) Object.assign(headers, headerOf(at, sent, job.path));
    else if (rootOf(wanted, job) === 'body') body = withValue(isObject(body) ? body : {}, [wanted].flat(), sent);
    else params = withValue(params, [wanted].flat(), sent);
  }
  return {
    params,
    ...(body === job.body || body === undefined ? {} : { body }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
}

function withValue(object: JsonObject, [key = '', ...rest]: readonly string[], value: Json): JsonObject {
  if (rest.length === 0) return withMember(object, key, value);
  const inner = ownValue(object, key);
  return withMember(object, key, withValue(isObject(inner) ? inner : {}, rest, value));
}

function headerOf(at: Place, value: Json, path: string): Readonly<Record<string, string>> {
  const name = isTemplated(at) && 'header' in at ? at.header : '';
  if (typeof value === 'string' && isHeaderValue(value)) return { [name]: value };
  const message = `${path}: the value for the next page cannot be sent in the header ${name}: it has a character that HTTP does not allow there`;
  throw new FatalError('NEXT_PAGE', message);
}

function filled(around: string, value: Json, beside: Readonly<Record<string, number>>): string {
  const plain = isScalar(value) ? textOf(value) : stringifyJson(value);
  return around.replace(PLACEHOLDER, (_, name: string) => {
    if (name === 'value' || name === 'from') return plain;
    return name === 'json' ? stringifyJson(value) : String(beside[name]);
  });
}

/** A job without what it has itself at a place. */
export function withoutPlace(job: Holder, at: Place): Pick<RequestChange, 'params' | 'body'> {
  const { params, body } = job;
  const wanted = wholeOf(at, job);
  if (wanted === undefined) return { params };
  const steps = [wanted].flat();
  if (rootOf(wanted, job) === 'params') return { params: withoutKeys(params, steps) };
  const rest = isObject(body) ? withoutKeys(body, steps) : body;
  return rest === undefined || sameJson(rest, body ?? null) ? { params } : { params, body: rest };
}

function withoutKeys(object: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const inner = ownValue(object, key);
  if (rest.length > 0) return isObject(inner) ? withMember(object, key, withoutKeys(inner, rest)) : object;
  return objectFrom(entriesOf(object).filter(([name]) => name !== key));
}

/** A value at its place; the elements of an array at as many. */
export function placementsOf(into: readonly Place[], key: Json): readonly Placement[] {
  const [only] = into;
  if (only !== undefined && into.length === 1) return [{ place: only, value: key }];
  const values = isList(key) ? key : [];
  return into.map((each, at) => ({ place: each, value: values[at] ?? null }));
}
