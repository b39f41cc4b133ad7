import { rename, writeFile } from 'node:fs/promises';
import { entriesOf, isObject } from '../../core/json/keys';
import type { Json, JsonObject } from '../../core/model';
import { checkedObject, checkedText } from '../files/checksum';
import { fileFailure, PRIVATE_FILE, textOf } from '../files/durable-files';

/** How far the pages of a journal have been published. */
export interface PublishProgress {
  readonly run: string;
  /** The sequence number of the last message in the stream before the run began. */
  readonly beginning: number;
  /** The number of pages, from the first of the journal, whose messages are all in the stream. */
  readonly pages: number;
  /** The sequence number that all messages of later pages exceed. */
  readonly sequence: number;
  /** Whether the stream may have messages of pages which the journal lost with the power of the machine. */
  readonly lost: boolean;
  /** The number of messages by subject. */
  readonly messages: Readonly<Record<string, number>>;
}

/** The progress of a run of which nothing is known: too little does no harm, more of the stream is only read again. */
export const noProgress = (run: string, beginning = 0): PublishProgress => ({
  run,
  beginning,
  pages: 0,
  sequence: beginning,
  lost: false,
  messages: {},
});

/**
 * Replaces the file in one step, but does not wait until that is safe from a loss of power: an older one does as well.
 *
 * @throws FatalError DESTINATION or SINK_FAILED
 * @example await saveProgress('work/published.json', noProgress('r'))
 */
export async function saveProgress(path: string, progress: PublishProgress): Promise<void> {
  try {
    await writeFile(`${path}.draft`, checkedText({ ...progress }), { mode: PRIVATE_FILE });
    await rename(`${path}.draft`, path);
  } catch (cause) {
    throw fileFailure(path, cause);
  }
}

/** The progress of this run; a file that is not there, is damaged, or belongs to another run counts as none. */
export async function readProgress(path: string, run: string): Promise<PublishProgress> {
  const value = checkedObject((await textOf(path)) ?? '{}')?.value;
  return progressOf(value, run) ?? noProgress(run);
}

function progressOf(value: JsonObject | undefined, run: string): PublishProgress | undefined {
  const { beginning, pages, sequence, lost, messages } = value ?? {};
  if (value?.['run'] !== run || typeof lost !== 'boolean' || !isObject(messages)) return undefined;
  if (!isCount(beginning) || !isCount(pages) || !isCount(sequence)) return undefined;
  const counts = entriesOf(messages).flatMap(([subject, count]) => (isCount(count) ? [[subject, count] as const] : []));
  return { run, beginning, pages, sequence, lost, messages: Object.fromEntries(counts) };
}

const isCount = (value: Json | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
