import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DurableSink } from '../../core/durable-sink';
import { defineSink } from '../../language/parts/sink';
import { durableSink } from '../durable';
import { checkedText, shortDigest } from '../files/checksum';
import { PRIVATE_FOLDER, makeFolder, replaceFile, textOf } from '../files/durable-files';
import { runLog } from '../files/folder-commit';
import { fileJournal } from '../journal/file-journal';
import { natsAddress } from './address';
import { nats as outline } from '../outlines';
import { publishedRun, progressIn, receiptIn } from './run';
import type { PublishedRun, RunPlaces } from './run';
import { sharedJournal } from './shared-journal';
import { openStream } from './stream';
import type { OpenStream } from './stream';

export interface NatsSinkOptions {
  /** The folder for the progress; default: one in `.headwater` of the current folder. */
  readonly workFolder?: string;
}

export const nats = defineSink({
  ...outline,
  // The URL may contain a password: a digest of it names the folder.
  create: ({ url }, _, { workFolder = join('.headwater', `nats-${shortDigest(url)}`) }: NatsSinkOptions) =>
    natsSink(url, { workFolder }),
});

export interface NatsOptions {
  /** The folder for pages until they are committed, and for the receipt. It is created, and belongs to this stream only. */
  readonly workFolder: string;
  /** The milliseconds for which the server may be unreachable during a run. */
  readonly patience?: number;
}

/**
 * Returns a sink of a NATS JetStream stream, which gets each item once: `nats://user:password@host:4222/STREAM?subject=headwater`, with
 * `messages=pages` for one message for each page as NDJSON, and with `cloudevents=true` for CloudEvents headers (binary mode). The subject
 * of a message is that prefix and the dataType as one token; its body is what the API wrote.
 *
 * A stream cannot take messages back, so they are in it as soon as their page is written, not at the commit. A call that restarts is
 * published again: the ids of its messages (`run:call:page:item`) name the call `0.1~1` instead of `0.1`. The messages of a run that is not
 * resumed stay as well.
 *
 * A page is in the journal before it is published, and pages that a dead process left out follow when the run is resumed. The ids in the
 * stream then show which these are, however short its duplicate window is; if consumers or limits remove messages from the stream sooner,
 * the window has to outlast the pause.
 *
 * @throws FatalError DESTINATION_ADDRESS for an address, a server, a stream or a folder that cannot be used,
 * DESTINATION_LOCKED while another process has the folder
 * @throws FatalError SINK_FAILED when the server refuses messages, is unreachable for longer than `patience`, or for an item that is
 * too large; what was written before is stored
 * @example natsSink('nats://localhost/ORDERS?messages=pages', { workFolder: 'out/.headwater/nats' })
 */
export function natsSink(url: string, { workFolder, patience = 60_000 }: NatsOptions): DurableSink {
  const address = natsAddress(url);
  const journal = fileJournal(join(workFolder, 'journal'));
  const receiptFile = join(workFolder, 'receipt.json');
  const progressFile = join(workFolder, 'published.json');
  const runs = runLog(workFolder);
  let stream: OpenStream | undefined;
  let run: PublishedRun | undefined;

  const places = (): RunPlaces => ({ address, journal, progress: progressIn(progressFile), stream: given(stream) });
  return durableSink({
    name: address.name,
    // Concurrent runs may publish into one stream, since their ids distinguish their messages. Only the journal needs exclusive use.
    place: `nats:${workFolder}`,
    makes: 'messages',
    shared: sharedJournal(address, patience),
    // A page that is in the journal is published at once.
    journal: {
      ...journal,
      open: async () => {
        const manifest = await journal.open();
        run = manifest === undefined ? undefined : await publishedRun(manifest, places(), false);
        return manifest;
      },
      begin: async (manifest) => {
        await journal.begin(manifest);
        run = await publishedRun(manifest, places(), true);
      },
      append: (page) => given(run).write(page),
      clear: async () => {
        await journal.clear();
        await rm(progressFile, { force: true });
        run = undefined;
      },
    },
    prepare: async () => {
      await makeFolder(workFolder, PRIVATE_FOLDER);
      stream ??= await openStream(address, patience);
    },
    receipt: async () => {
      const text = await textOf(receiptFile);
      const receipt = text === undefined ? undefined : receiptIn(text, `file ${JSON.stringify(receiptFile)}`);
      // The receipt commits a run: the process may have ended right after it.
      if (receipt !== undefined) await runs.add(receipt.record);
      return receipt;
    },
    recordOf: runs.recordOf,
    publish: async ({ manifest, state, record }) => {
      const ended = given(run);
      const stored = await ended.end();
      const recorded = record(stored);
      await replaceFile(receiptFile, checkedText({ run: manifest.id, state, record: recorded }));
      await runs.add(recorded);
      return stored;
    },
    interrupt: () => stream?.interrupt(),
    close: async () => {
      await stream?.close();
      stream = undefined;
      run = undefined;
    },
  });
}

/** Returns the value; the state machine calls nothing of a sink that is not open, or of a run that was not begun. */
function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The stream is not open.');
  return value;
}
