import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { expressionFailed } from '../../core/errors/errors';
import type { Fault } from '../../core/errors/errors';
import { entriesOf, isObject, keysOf, objectFrom, ownValue } from '../../core/json/objects';
import { jsonPathOf } from '../../core/json/path';
import { isScalar, shortened, textOf } from '../../core/json/scalars';
import type { Json, JsonObject } from '../../core/model';
import { allOf, fault, validation } from '../../language/codec/codec';
import type { Checked } from '../../language/codec/codec';
import type { Api, ChildBatch, Job, Settings } from '../../language/configuration/configuration';
import { compileExpression } from '../../language/expressions/expression';
import type { Scope } from '../../language/expressions/expression';
import { outline } from '../../language/expressions/syntax';
import { streamed } from '../../language/parts/pagination/pagination';
import type { GraphqlRequest } from '../../language/requests/graphql/place-of-items';
import type { JobSurroundings } from '../defaults';
import type { CallValues, ChildJobPlan, GraphqlPlan, JobPlan, PlaceholderPlan, StopsPlan, StreamPlan } from '../plan';
import { asynchronousOf } from './asynchronous';
import { endpointBinder, compileJobValues, userDataOf } from './values';
import { planEndpoint } from './fill';
import { jobPagination, laterValues, withLaterRequests } from './pagination';
import type { JobPagination } from './pagination';
import { planRows, shapingOf } from './shaping';
import { scopeOfJob, slicesOf } from './slices';
import type { JobValues } from './values';

const LEVEL = /^(\d+):/;

/**
 * Returns how many levels up the item of a placeholder is (docs/language/jobs.md#placeholders): 1 is the item of the
 * direct parent.
 */
const levelOf = (name: string): number => Number(LEVEL.exec(name)?.[1] ?? 1);

/** Compiles the `placeholders` of a child (docs/language/jobs.md#placeholders); their shape has been checked. */
const planPlaceholders = (
  placeholders: JsonObject,
  jobPath: string,
  scope: Scope,
): Checked<readonly PlaceholderPlan[]> =>
  allOf(
    entriesOf(placeholders).map(([name, field]) =>
      planPlaceholder(name, field, `${jobPath}.placeholders.${name}`, scope),
    ),
  );

function planPlaceholder(name: string, field: Json, path: string, { functions }: Scope): Checked<PlaceholderPlan> {
  const level = levelOf(name);
  if (!isObject(field)) return E.right({ name, level, path: isScalar(field) ? textOf(field) : '' });
  const source = ownValue(field, 'path');
  const plan: PlaceholderPlan = {
    ...{ name, level, path: isScalar(source) ? textOf(source ?? null) : '' },
    ...(ownValue(field, 'optional') === true ? { isOptional: true } : {}),
  };
  const expression = objectFrom(entriesOf(field).filter(([key]) => key !== 'path' && key !== 'optional'));
  if (Object.keys(expression).length === 0) return E.right(plan);
  return pipe(
    compileExpression(expression, { path, contexts: ['placeholder'], functions }),
    E.map(({ evaluate }) => ({
      ...plan,
      compute: (value: Json) => {
        if (isScalar(value)) return evaluate({ placeholder: new Map([['value', value]]) });
        const complaint = `User script error: Error evaluating user function - placeholder '${shortened(outline(value), 100)}'`;
        throw expressionFailed({ path, message: `${complaint} is not a string!` });
      },
    })),
  );
}

/**
 * Returns the batch of a child (docs/language/jobs.md#batches), and checks it: something must differ within it, and no
 * child may ask for its single parent item.
 */
function checkBatch(job: Job): Checked<ChildBatch | undefined> {
  if (job.batch === undefined) return E.right(undefined);
  if (!keysOf(job.placeholders).some((name) => levelOf(name) === 1))
    return fault(`${job.path}.batch`, 'needs a placeholder of the parent item (level 1): there is nothing to batch');
  const faults = job.children.flatMap((child) => askingAbove(child, 2));
  return faults.length === 0 ? E.right(job.batch) : E.left(faults);
}

/**
 * Finds children that ask for the single parent item, which a batch does not have.
 *
 * @param level the level by which a placeholder of this child would ask for it
 */
function askingAbove({ path, placeholders, children }: Job, level: number): readonly Fault[] {
  const message = `level ${level} is no single item here: the job above is called for a batch of items`;
  const own = keysOf(placeholders).filter((name) => levelOf(name) === level);
  return [
    ...own.map((name) => ({ path: `${path}.placeholders.${name}`, message })),
    ...children.flatMap((child) => askingAbove(child, level + 1)),
  ];
}

/**
 * The bytes of items of a page: enough that the cost of a page is small, and few enough that its objects are freed
 * before they reach the old generation.
 */
const PAGE_BYTES = 2 ** 18;

/**
 * Returns the changes in the plan of a job with a streamed response (docs/language/large-responses.md): its pages are
 * JSON for any format, and equal pages are not special.
 */
function streamOf(
  job: Job,
  { http }: Api,
  { method }: JobPlan['pagination'],
): Checked<Pick<JobPlan, 'stream' | 'pagination' | 'equalPages' | 'requestLimit'> | undefined> {
  const { stream, path, dataField } = job;
  if (stream === undefined) return E.right(undefined);
  const place = `${path}.stream`;
  const format = job.format ?? http.format;
  if (method !== 'none')
    return fault(
      place,
      `needs a job without pagination, and this one has ${method}: a response that is cut into pages has no next one. ` +
        `Let the API give all at once, or leave "stream" out`,
    );
  if (format !== undefined && !format.isJson && format.stream === undefined)
    return fault(place, `cannot be with the format ${format.name}, whose items are known only with the whole response`);
  if (job.rows !== undefined)
    return fault(place, 'cannot be with "rows", which have to see the whole response: leave "stream" out');
  if (dataField !== undefined && jsonPathOf(dataField.path, dataField.delimiter) !== undefined)
    return fault(place, 'needs a dataField that is a path of keys: a JSON path has to see the whole response');
  const keys =
    dataField === undefined
      ? undefined
      : dataField.path === dataField.delimiter
        ? []
        : dataField.path.split(dataField.delimiter);
  const plan: StreamPlan = {
    pageItems: stream.pageItems ?? Infinity,
    pageBytes: PAGE_BYTES,
    delimiter: dataField?.delimiter ?? '.',
    ...(keys === undefined ? {} : { path: keys }),
    ...(format === undefined ? {} : { format }),
  };
  return E.right({ stream: plan, pagination: streamed, equalPages: 'keep', requestLimit: Infinity });
}

/** Compiles a job and its children (docs/language/jobs.md). */
export function planJob(job: Job, around: JobSurroundings, isChild = false): Checked<JobPlan> {
  const placeholders = isChild ? [...around.placeholders, ...keysOf(job.placeholders)] : [];
  const surroundings = { ...around, scope: scopeOfJob(job, around.scope), placeholders };
  const { api, settings, scope } = surroundings;
  return pipe(
    Ap.sequenceS(validation)({
      endpoint: planEndpoint(job.endpoint, `${job.path}.endpoint`, surroundings),
      values: compileJobValues(job, surroundings),
      pagination: jobPagination(api.pagination, job, surroundings),
      userData: userDataOf(job, surroundings, isChild),
      rows: planRows(job),
      shaping: shapingOf(job, scope),
      slices: slicesOf(job, around),
      children: allOf(job.children.map((child) => planChild(child, surroundings))),
    }),
    E.bind('streamed', ({ pagination }) => streamOf(job, api, pagination.pagination)),
    E.bind('asynchronous', ({ pagination }) => asynchronousOf(job, surroundings, pagination.pagination)),
    E.map(
      ({
        endpoint,
        values,
        pagination: planned,
        asynchronous,
        userData,
        rows,
        shaping,
        slices,
        children,
        streamed,
      }) => ({
        id: job.id,
        name: job.name,
        path: job.path,
        endpoint: job.endpoint,
        dataType: job.dataType,
        table: surroundings.tables.get(job.dataType) ?? job.dataType,
        bind: binderOf({ ...job, endpoint }, surroundings, values, planned),
        ...(streamed === undefined ? formatOf(job, api) : {}),
        items: { ...(job.dataField ?? { delimiter: '.' }), ...keyOf(job), ...(rows === undefined ? {} : { rows }) },
        ...(job.graphql === undefined ? {} : { graphql: responsesTo(job.graphql) }),
        responseFilter: {
          paths: job.responseFilter,
          delimiter: job.responseFilterDelimiter,
          keepScalars: settings.compatLevel <= 2,
        },
        ...(shaping === undefined ? {} : { shaping }),
        ...(slices === undefined ? {} : { slices }),
        pagination: planned.pagination,
        stops: planned.stops,
        requestLimit: job.requestLimit,
        concurrency: job.concurrency,
        ...(job.incremental === undefined
          ? {}
          : { incremental: { ...job.incremental, iteration: surroundings.iteration } }),
        ...(job.prefetch === undefined ? {} : { prefetch: job.prefetch }),
        ...completenessOf(job, settings, planned.stops),
        userData,
        children,
        ...(asynchronous === undefined ? {} : { asynchronous }),
        ...streamed,
      }),
    ),
  );
}

/** Returns the key of the items that a run reads, if it is one and no path. */
const keyOf = ({ incremental }: Job): { readonly key?: string } =>
  incremental !== undefined && /^[\w-]+$/.test(incremental.field) ? { key: incremental.field } : {};

/** Returns the function that fills in the values of a call; `scrollRequest` may make other requests of later ones. */
function binderOf(
  job: Job,
  surroundings: JobSurroundings,
  values: (call: CallValues) => JobValues,
  { pagination, later }: JobPagination,
): JobPlan['bind'] {
  const bind = endpointBinder(job, surroundings);
  if (later === undefined) return (call) => bind(values(call));
  const bindLater = endpointBinder({ ...job, ...later }, surroundings);
  return (call) => {
    const ready = values(call);
    return withLaterRequests(bind(ready), bindLater(laterValues(pagination, ready)));
  };
}

const responsesTo = ({ edges }: GraphqlRequest): GraphqlPlan => (edges === undefined ? {} : { edges });

/** Returns the format of the job, or the one for all jobs. */
function formatOf({ format: own }: Job, { http }: Api): Pick<JobPlan, 'format'> {
  const format = own ?? http.format;
  return format === undefined ? {} : { format };
}

/**
 * Returns the completeness options: the job's own precede those next to its pagination, and these precede those of
 * `config`.
 */
function completenessOf(
  { completeness: own, total: ownTotal, equalPages, optionalFields, dataType, primaryKey }: Job,
  settings: Settings,
  stops: readonly StopsPlan[],
): Pick<JobPlan, 'completeness' | 'total' | 'hasNoTotal' | 'equalPages' | 'isKeyId' | 'optionalFields'> {
  const completeness = own ?? settings.completeness;
  const total =
    ownTotal === 'none' ? undefined : (ownTotal ?? stops.findLast((each) => each.total !== undefined)?.total);
  // The columns of parents are the same for all items of a call.
  const key = (primaryKey ?? settings.primaryKeys?.[dataType])?.filter((column) => !column.startsWith('parent_'));
  return {
    ...(completeness === undefined ? {} : { completeness }),
    ...(total === undefined ? {} : { total }),
    ...(ownTotal === 'none' ? { hasNoTotal: true } : {}),
    equalPages,
    ...(key === undefined ? {} : { isKeyId: key.length === 1 && key[0] === 'id' }),
    ...(optionalFields.length === 0 ? {} : { optionalFields }),
  };
}

const planChild = (job: Job, surroundings: JobSurroundings): Checked<ChildJobPlan> =>
  pipe(
    Ap.sequenceS(validation)({
      job: planJob(job, surroundings, true),
      placeholders: planPlaceholders(job.placeholders, job.path, surroundings.scope),
      batch: checkBatch(job),
    }),
    E.map(({ batch, ...child }) => ({
      ...child,
      ...(job.recursionFilter === undefined ? {} : { filter: job.recursionFilter }),
      ...(batch === undefined ? {} : { batch }),
    })),
  );
