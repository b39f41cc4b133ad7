/** The journal of a run whose parts are written by several processes, in JetStream, and the sink that commits it: no machine keeps anything. */
import type { RunManifest, SharedJournal, Stored } from '../../core/durable-sink';
import type { Checkpoint, Page } from '../../core/model';
import { durableSink } from '../durable';
import type { Publication } from '../durable';
import { checkedText } from '../files/checksum';
import type { JournaledPage } from '../journal/journal';
import { objectJournal, objectRecords } from '../journal/object-journal';
import type { BegunRun, ObjectJournal } from '../journal/object-journal';
import { superseding } from '../journal/page-index';
import { journalDamage, runOver } from '../journal/records';
import { committedRun } from '../run-record';
import type { NatsAddress } from './address';
import { messagesOf } from './messages';
import { byDataType, noProgress, publishedRun, receiptIn } from './run';
import type { ProgressStore, PublishedRun, RecordedReceipt } from './run';
import { openStore } from './store';
import { openStream } from './stream';
import type { OpenStream } from './stream';

async function openAll(address: NatsAddress, patience: number) {
  const stream = await openStream(address, patience);
  try {
    const store = await openStore(address, stream);
    const parts = objectJournal(address.name, 'journal/', store);
    return { stream, store, parts, records: objectRecords('', store) };
  } catch (error) {
    await stream.close();
    throw error;
  }
}

type Opened = Awaited<ReturnType<typeof openAll>>;

/** The run that the process commits. */
interface OwnRun extends BegunRun {
  /** Fails where another process commits the run by now, or the run is over. */
  readonly check: () => Promise<void>;
  readonly published: PublishedRun;
}

const RECEIPT = 'receipt.json';
/** What a commit takes to be the only one, and for pages that were missing. Its name is behind those of all parts. */
const PART_OF_COMMITS = 'commit';

/**
 * Returns the journal for the parts of runs. Messages come at the commit, since a part may be made again by another machine, and a stream takes
 * none back. They have the ids that those of a run of one process have: a commit that is repeated leaves out what is there. Before each page it
 * looks whether another one has taken its place.
 *
 * @param patience the milliseconds for which the server may be unreachable
 * @throws FatalError from its methods: as of `natsSink`
 * @example const part = await sharedJournal(natsAddress('nats://localhost/ORDERS'), 60_000).take(manifest, '1.000', 1);
 */
export function sharedJournal(address: NatsAddress, patience: number): SharedJournal {
  const { name, prefix } = address;
  let opening: Promise<Opened> | undefined;
  let own: OwnRun | undefined;
  /** True if the run was begun here, and others do not know of it yet. */
  let isPrivate = false;

  const open = (): Promise<Opened> =>
    (opening ??= openAll(address, patience).catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));
  const close = async (): Promise<void> => {
    const opened = opening;
    opening = undefined;
    await (await opened)?.stream.close();
  };
  const receipt = async ({ store }: Opened): Promise<(RecordedReceipt & { readonly version: string }) | undefined> => {
    const found = await store.text(RECEIPT);
    return found && { ...receiptIn(found.text, `object ${RECEIPT} of ${name}`), version: found.version };
  };
  const share = async ({ parts }: Opened): Promise<void> => {
    if (own !== undefined && isPrivate) await parts.begin({ manifest: own.manifest, generation: own.generation });
    isPrivate = false;
  };

  const ownRun = async (begun: BegunRun, opened: Opened): Promise<OwnRun> => {
    const { manifest, generation } = begun;
    const { stream, parts } = opened;
    let taken: ReturnType<typeof parts.take> | undefined;
    const part = async () => {
      await share(opened);
      return (taken ??= parts.take(manifest, PART_OF_COMMITS, Date.now()));
    };
    const check = async (): Promise<void> => (await part()).check();
    const publish: OpenStream['publish'] = async (messages, after) => {
      await check();
      return stream.publish(messages, after);
    };
    const journal = { ...pagesOf(manifest, parts), append: async (page: Page) => (await part()).write(page) };
    // Pages of parts that went on meanwhile are among the others: the messages of all pages are looked up.
    const known = Promise.resolve(noProgress(manifest.id, generation));
    const progress: ProgressStore = { read: () => known, save: () => Promise.resolve() };
    const places = { address, stream: { ...stream, publish }, journal, progress };
    return { ...begun, check, published: await publishedRun(manifest, places, false) };
  };
  const given = (): OwnRun => {
    if (own === undefined) throw new Error('No run was begun.');
    return own;
  };

  const publish = async ({ manifest, state, record }: Publication): Promise<readonly Stored[]> => {
    const opened = await open();
    const before = await receipt(opened);
    if (before?.run === manifest.id) return committedRun(before.record).stored;
    const { published, check } = given();
    const stored = await published.end();
    const recorded = record(stored);
    await check();
    const text = checkedText({ run: manifest.id, state, record: recorded });
    const isStored = await opened.store.put(RECEIPT, text, before ?? 'absent');
    if (!isStored && (await receipt(opened))?.run !== manifest.id) throw runOver(name, manifest.id);
    await opened.records.add(manifest.id, recorded);
    return stored;
  };

  const shared: SharedJournal = {
    begin: async () => share(await open()),
    take: async (run, part, attempt) => {
      const { parts, stream } = await open();
      const taken = await parts.take(run, part, attempt);
      const write = async (page: Page): Promise<void> => {
        const { checkpoint, job } = page;
        const { dataType } = job;
        stream.check(messagesOf({ checkpoint, dataType, lines: page.lines(), generation: 0 }, run, address), page);
        await taken.write(byDataType(page));
      };
      return { ...taken, write };
    },
    drop: async (run) => {
      const opened = await open();
      await opened.parts.dropRun(run, async () => (await receipt(opened))?.run);
    },
    close,
  };
  const sink = durableSink({
    name,
    place: `${name}?subject=${prefix}`,
    makes: 'messages',
    journal: {
      open: async () => {
        const opened = await open();
        const begun = await opened.parts.begun();
        isPrivate = false;
        own = begun && (await ownRun(begun, opened));
        return begun?.manifest;
      },
      damage: () => undefined,
      begin: async (manifest) => {
        const opened = await open();
        if (own !== undefined) await opened.parts.drop();
        isPrivate = true;
        own = await ownRun({ manifest, generation: await opened.stream.lastSequence() }, opened);
      },
      append: (page) => given().published.write(page),
      checkpoints: async function* () {
        yield* pagesOf(given().manifest, (await open()).parts).checkpoints();
      },
      clear: async () => {
        if (own !== undefined) await (await open()).parts.drop();
        own = undefined;
      },
      close: () => Promise.resolve(),
    },
    receipt: async () => {
      const opened = await open();
      const found = await receipt(opened);
      // The receipt commits a run: the process may have ended right after it.
      if (found !== undefined) await opened.records.add(found.run, found.record);
      return found;
    },
    recordOf: async (run) => (await open()).records.recordOf(run),
    publish,
    interrupt: () => void opening?.then(({ stream }) => stream.interrupt()).catch(() => undefined),
    close,
    shared,
  });
  return { ...shared, sink };
}

/** The pages of a run for its commit. */
function pagesOf(manifest: RunManifest, parts: ObjectJournal) {
  let seen: readonly Pick<Checkpoint, 'call' | 'pages'>[] = [];
  return {
    checkpoints: async function* (): AsyncGenerator<Checkpoint> {
      const found: Pick<Checkpoint, 'call' | 'pages'>[] = [];
      for await (const pages of parts.pages(manifest))
        for (const { checkpoint } of pages) {
          found.push({ call: checkpoint.call, pages: checkpoint.pages });
          yield checkpoint;
        }
      seen = found;
    },
    /** Returns the pages whose checkpoints were returned last, without those that later ones supersede. */
    pages: async function* (): AsyncGenerator<JournaledPage> {
      const isSuperseded = superseding();
      const superseded = seen.toReversed().map(isSuperseded).toReversed();
      let at = 0;
      for await (const pages of parts.pages(manifest))
        for (const { checkpoint, iteration, table, extra, count, lines } of pages) {
          const { call, pages: number } = seen[at] ?? {};
          if (call?.join('.') !== checkpoint.call.join('.') || number !== checkpoint.pages)
            throw journalDamage('the journal in JetStream', 'pages came while they were published');
          if (superseded[at] === false)
            yield { checkpoint, run: iteration, dataType: table, extra, count, lines: lines() };
          at += 1;
        }
    },
  };
}
