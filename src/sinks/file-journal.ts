import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FatalError } from '../errors';
import type { RunHead } from '../model';
import { makeFolder, PRIVATE_FOLDER, replaceFile, syncFolder, textOf } from './durable-files';
import { lockFolder } from './folder-lock';
import { oneAtATime } from './in-turn';
import type { Journal, JournaledPlace } from './journal';
import { checkpointsIn, dataIn, dataSizes, extentOf, pagesAt, placesIn, recordsIn } from './journal-reader';
import { headOf, headText } from './journal-records';
import { JournalWriter } from './journal-writer';

/**
 * A journal in a folder of its own: `head.json` has the run, `journal.ndjson` a record a page, `0.data`, `1.data`, … the
 * lines of one dataType each. A page counts once its record is whole. At most a second of pages is lost with the power of
 * the machine, and none with the process. One process at a time has the folder, from `open` to `close`.
 *
 * Its methods throw FatalError SINK_FAILED when a file takes no more (the journal is then as it was before), and
 * DESTINATION when the folder cannot be used or another process has it.
 *
 * @param folder made when it is not there; only its owner can read it
 * @example const journal = fileJournal('out/.headwater/journal'); const unfinished = await journal.open();
 */
export function fileJournal(folder: string): Journal {
  const headFile = join(folder, 'head.json');
  const inTurn = oneAtATime();
  let unlock: (() => Promise<void>) | undefined;
  let writer: JournalWriter | undefined;

  /** Appends nothing more. */
  const endWriting = (): JournalWriter | undefined => {
    const ended = writer;
    writer = undefined;
    return ended;
  };
  /** Without a head the rest counts for nothing: so it goes first. */
  const drop = async (): Promise<void> => {
    await endWriting()?.abandon();
    await rm(headFile, { force: true });
    await syncFolder(folder);
    await rm(recordsIn(folder), { force: true });
    for (const file of (await dataSizes(folder)).keys()) await rm(dataIn(folder, file), { force: true });
    await syncFolder(folder);
  };
  const readHead = async (): Promise<RunHead | undefined> => {
    const text = await textOf(headFile);
    const head = text === undefined ? undefined : headOf(text);
    if (text === undefined || head !== undefined) return head;
    const message = `${JSON.stringify(headFile)} is not that of a run. Remove the folder ${JSON.stringify(folder)}.`;
    throw new FatalError('DESTINATION', message);
  };
  const open = async (): Promise<RunHead | undefined> => {
    await endWriting()?.abandon();
    await makeFolder(folder, PRIVATE_FOLDER);
    unlock ??= await lockFolder(folder);
    const head = await readHead();
    if (head !== undefined) writer = await JournalWriter.open(folder, await extentOf(folder));
    return head;
  };

  const places = (): AsyncIterable<JournaledPlace> => placesIn(folder, writer?.end ?? 0);

  return {
    open: () => inTurn(open),
    begin: (head) =>
      inTurn(async () => {
        await drop();
        await replaceFile(headFile, headText(head));
        writer = await JournalWriter.open(folder, { end: 0, data: new Map() });
      }),
    append: (page) =>
      inTurn(async () => {
        if (writer === undefined) throw new Error('A page came before a run was begun.');
        await writer.append(page);
      }),
    checkpoints: () => checkpointsIn(folder, writer?.end ?? 0),
    places,
    pages: (isWanted) => pagesAt(isWanted === undefined ? places() : only(places(), isWanted)),
    clear: () => inTurn(drop),
    close: () =>
      inTurn(async () => {
        try {
          await endWriting()?.close();
        } finally {
          await unlock?.();
          unlock = undefined;
        }
      }),
  };
}

async function* only<T>(values: AsyncIterable<T>, isWanted: (value: T) => boolean): AsyncGenerator<T> {
  for await (const value of values) if (isWanted(value)) yield value;
}
