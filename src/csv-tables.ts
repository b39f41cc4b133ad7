import { createReadStream, existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Destination } from './deliver';
import { isList } from './json/keys';
import { parseData } from './json/parse';
import { merge } from './json/merge';
import type { Log } from './log';
import type { Stored } from './durable-sink';
import type { Item, Json, JsonObject } from './model';
import { csvFolder } from './sinks/csv/folder';
import { fileJournal } from './sinks/journal/file-journal';
import { folderSink, workFolderIn } from './sinks/files/folder-sink';
import type { JournaledPage } from './sinks/journal/journal';
import { ownState, withOwnState } from './state/by-configuration';
import { tellMissing, tellTo } from './tell';
import { createBuckets } from './tables/buckets';
import type { PageOfTables } from './tables/buckets';
import { safeName } from './tables/names';

export interface CsvTablesOptions {
  /** Hears what the tables cannot hold as it came, where `deliver` has nobody who hears it. */
  readonly logger?: Log;
}

const FILES = { suffix: '.csv', bucketPrefix: 'if-several', manifests: false } as const;

/**
 * Linked tables (language 8) as CSV files in a folder: by mappings, or by the automatic conversion. Without buckets'
 * names, unless tables of several buckets meet.
 *
 * @param folder made when it is not there; pages wait in `.headwater` inside it
 * @throws FatalError from its methods: as {@link folderSink} and `createBuckets`
 * @example await deliver(config, [csvTables('out')]);
 */
export const csvTables =
  (folder: string, { logger }: CsvTablesOptions = {}): Destination =>
  (outputs, tell) => {
    const work = workFolderIn(folder);
    const told = tell ?? tellTo(logger === undefined ? {} : { logger });
    const warn = (message: string): void => told?.('TABLE_STRUCTURE', message);
    let kept: JsonObject = {};
    const sink = folderSink({
      name: `csv:${folder}`,
      folder,
      makes: 'linked-tables',
      outputs,
      journal: fileJournal(join(work, 'journal')),
      prepare: async ({ pages, staging, head: { startedAt, fingerprint }, state: all }) => {
        const state = ownState(all, fingerprint);
        const spoolFolder = join(work, 'rows');
        await mkdir(spoolFolder, { recursive: true });
        const missing = tellMissing(told);
        const buckets = createBuckets({ outputs, spoolFolder, state, warn, missing, startedAt, limitsColumns: true });
        try {
          const types = new Set<string>();
          for await (const page of pages()) {
            types.add(page.dataType);
            await buckets.add(asPage(page));
          }
          const made = await buckets.finish();
          await csvFolder(staging, { ...FILES, old: folder }).store(made);
          if (outputs.every(({ incremental }) => !incremental)) await emptyOld(types, folder, staging);
          const stored: Stored[] = made.flatMap(({ tables }) => tables.map(({ name }) => ({ name: `${name}.csv` })));
          kept = merge(state, buckets.state());
          return { stored, state: withOwnState(all, fingerprint, kept) };
        } finally {
          await buckets.close();
        }
      },
    });
    return { ...sink, kept: () => kept };
  };

/** A table that has no rows any more is empty: its old rows must not pass for those of this run. */
async function emptyOld(types: ReadonlySet<string>, folder: string, staging: string): Promise<void> {
  const made = new Set(await readdir(staging));
  for (const type of types) {
    const file = `${safeName(type)}.csv`;
    const old = join(folder, file);
    if (!made.has(file) && existsSync(old)) await writeFile(join(staging, file), `${await headerOf(old)}\n`);
  }
}

/** The first line; a name of a column has no line end. */
async function headerOf(path: string): Promise<string> {
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
  for await (const line of lines) return line;
  return '';
}

function asPage({ run, dataType, extra, isPlain = false, lines }: JournaledPage): PageOfTables {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString('utf8');
  let items: readonly Item[] | undefined;
  return {
    run,
    job: { dataType },
    extra,
    texts: () => text.split('\n').slice(0, -1),
    get items() {
      items ??= itemsIn(text, isPlain ? (JSON.parse as (json: string) => Json) : parseData);
      return items;
    },
  };
}

/** Read at one go: a line at a time takes longer. */
function itemsIn(lines: string, parse: (json: string) => Json): readonly Item[] {
  const list = parse(`[${lines.trimEnd().replaceAll('\n', ',')}]`);
  return isList(list) ? list : [];
}
