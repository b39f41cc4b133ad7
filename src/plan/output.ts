import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { RunConfiguration } from '../config/configuration';
import type { OutputPlan } from './plan';
import { primaryKeysOf } from './primary-keys';
import type { Checked } from './validation';

/** Where the tables of a run belong (language 1.3, 8.11). */
export function outputOf({ api, settings }: RunConfiguration): Checked<OutputPlan> {
  const { outputBucket, id, incrementalOutput, mappings, compatLevel, maxColumns } = settings;
  const bucket = outputBucket ?? (id === undefined ? undefined : `ex-api-${api.name}-${id}`);
  return pipe(
    primaryKeysOf(settings),
    E.map((primaryKeys) => ({
      ...(bucket === undefined ? {} : { bucket }),
      incremental: incrementalOutput,
      ...(mappings === undefined ? {} : { mappings }),
      ...(primaryKeys.size === 0 ? {} : { primaryKeys }),
      compatLevel,
      maxColumns,
    })),
  );
}
