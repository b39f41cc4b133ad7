import { HeadwaterError } from './errors';
import type { ErrorJson } from './errors';
import type { JobRef } from '../model';
import { brand } from './brand';

/** An item does not decode by the decoder that the application gave for its job. */
export class InvalidItemError extends HeadwaterError {
  override readonly name = 'InvalidItemError';

  static {
    brand(this, 'InvalidItemError');
  }

  /**
   * @param page the number of the page in its call of the job, from 0
   * @param position the place in the page, from 0
   * @param reasons why it does not decode, with secrets masked
   */
  constructor(
    job: JobRef,
    readonly page: number,
    readonly position: number,
    readonly reasons: readonly string[],
  ) {
    const place = `${job.path}: item ${position} of page ${page} of ${job.endpoint}`;
    super('ITEM_INVALID', 'fatal', [`${place} does not decode (both count from 0).`, ...reasons].join('\n  '), { job });
  }

  override toJSON(): ErrorJson {
    const { page, position, reasons } = this;
    return { ...super.toJSON(), page, position, reasons };
  }
}
