import { FatalError } from '../../core/errors/errors';

/**
 * The error for an interrupted run whose pages cannot be used: they are not as they were written.
 *
 * @param place the file or the table, for people
 * @param what what is wrong with it
 * @example throw journalDamage('"out/.headwater/journal/0.data"', 'page 3 of the table "items" is not as it was written')
 */
export const journalDamage = (place: string, what: string): FatalError =>
  new FatalError(
    'JOURNAL_DAMAGED',
    `The run cannot go on: ${place} was changed or damaged by others (${what}). ${REMEDY}`,
  );

/** The error for pages of a run that an earlier version of this program has written. */
export const journalOutdated = (place: string): FatalError =>
  new FatalError('JOURNAL_DAMAGED', `The run cannot go on: an earlier version of Headwater wrote ${place}. ${REMEDY}`);

const REMEDY = 'Run again without --resume: the run begins anew. What was stored before stays until then.';
