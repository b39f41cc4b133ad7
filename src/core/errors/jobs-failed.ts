import { HeadwaterError } from './errors';
import type { ErrorJson, JobDoubt } from './errors';
import type { JobRef } from '../model';
import { brand } from './brand';
import { faultLine } from './facts';

/** A job that failed while others went on. */
export interface JobFailure {
  /** The job of `config.jobs`; one of its children may be what failed: `error.job` tells. */
  readonly job: JobRef;
  readonly error: ErrorJson;
}

/**
 * The run went to its end, but jobs failed (`onJobError: 'continue'`). The stream has given all items that there were. The
 * same run may succeed later (`recovery` is `retry`) where that is true of each failure.
 */
export class JobsFailedError extends HeadwaterError {
  override readonly name = 'JobsFailedError';

  static {
    brand(this, 'JobsFailedError');
  }

  /** @param doubts what makes other jobs incomplete */
  constructor(
    readonly failures: readonly JobFailure[],
    readonly doubts: readonly JobDoubt[] = [],
  ) {
    const isTransient = doubts.length === 0 && failures.every(({ error }) => error.recovery === 'retry');
    const lines = [
      failures.length === 1 ? 'A job failed.' : `${failures.length} jobs failed.`,
      ...failures.map(({ job, error }) => `${job.path} (${job.endpoint}): ${error.message}`),
      ...(doubts.length === 0 ? [] : ['Others are incomplete.', ...doubts.map(faultLine)]),
    ];
    super('JOBS_FAILED', isTransient ? 'retry' : 'fatal', lines.join('\n  '));
  }

  override toJSON(): ErrorJson {
    const { failures, doubts } = this;
    return { ...super.toJSON(), failures, ...(doubts.length === 0 ? {} : { doubts }) };
  }
}
