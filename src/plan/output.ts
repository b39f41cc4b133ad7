import type { RunConfiguration } from '../config/configuration';
import type { OutputPlan } from './plan';

/** Where the tables of a run belong (language 1.3, 8.11). */
export function outputOf({ api, settings }: RunConfiguration): OutputPlan {
  const { outputBucket, id, incrementalOutput, mappings, compatLevel } = settings;
  const bucket = outputBucket ?? (id === undefined ? undefined : `ex-api-${api.name}-${id}`);
  return {
    ...(bucket === undefined ? {} : { bucket }),
    incremental: incrementalOutput,
    ...(mappings === undefined ? {} : { mappings }),
    compatLevel,
  };
}
