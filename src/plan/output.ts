import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Job, IterationConfiguration } from '../config/configuration';
import { entriesOf, isList, isObject } from '../json/keys';
import type { Json } from '../model';
import { nestingOf } from './nesting';
import type { IncrementalJob, OutputPlan } from './plan';
import { primaryKeysOf, withDescendants } from './primary-keys';
import type { Checked } from '../codec/checked';

/** Where the tables of a run belong (docs/language/tables.md#files-and-buckets). */
export function outputOf({ api, settings }: IterationConfiguration): Checked<OutputPlan> {
  const { outputBucket, id, incrementalOutput, mappings, compatLevel, maxColumns } = settings;
  const bucket = outputBucket ?? (id === undefined ? undefined : `ex-api-${api.name}-${id}`);
  const jobs = settings.jobs.flatMap(withDescendants);
  const incrementalJobs = jobs.flatMap(incrementalJobOf);
  const sincePrevious = [
    ...(namesPreviousStart(api.http.defaultParams) ? ['api.http.defaultOptions.params'] : []),
    ...jobs.flatMap(sincePreviousIn),
  ];
  return pipe(
    E.Do,
    E.apS('primaryKeys', primaryKeysOf(settings)),
    E.apS('nested', nestingOf(settings)),
    E.map(({ primaryKeys, nested }) => ({
      ...(bucket === undefined ? {} : { bucket }),
      incremental: incrementalOutput,
      ...(mappings === undefined ? {} : { mappings }),
      ...(primaryKeys.size === 0 ? {} : { primaryKeys }),
      ...(nested.size === 0 ? {} : { nested }),
      compatLevel,
      ...(incrementalJobs.length === 0 ? {} : { incrementalJobs }),
      ...(sincePrevious.length === 0 ? {} : { sincePrevious }),
      maxColumns,
    })),
  );
}

const incrementalJobOf = ({ id, path, incremental }: Job): IncrementalJob | [] =>
  incremental === undefined
    ? []
    : { id, path, field: incremental.field, param: incremental.param, lag: incremental.lag };

const sincePreviousIn = ({ path, params, body, slices }: Job): readonly string[] =>
  Object.entries({ params, body: body ?? null, window: slices?.window?.from ?? null }).flatMap(([name, value]) =>
    namesPreviousStart(value) ? [`${path}.${name}`] : [],
  );

/** Whether `{"time": "previousStart"}` stands anywhere in it. */
function namesPreviousStart(value: Json): boolean {
  if (isList(value)) return value.some(namesPreviousStart);
  if (!isObject(value)) return false;
  return entriesOf(value).some(
    ([key, inner]) => (key === 'time' && inner === 'previousStart') || namesPreviousStart(inner),
  );
}
