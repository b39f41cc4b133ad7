import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DurableSink, Stored } from '../../durable-sink';
import { isList } from '../../json/keys';
import { merge } from '../../json/merge';
import { parseData } from '../../json/parse';
import type { Item, Json, JsonObject } from '../../model';
import type { OutputPlan } from '../../plan/plan';
import { ownState, withOwnState } from '../../state/by-configuration';
import { createBuckets } from '../../tables/buckets';
import type { PageOfTables } from '../../tables/buckets';
import type { Warn } from '../define-sink';
import { folderSink, workFolderIn } from '../files/folder-sink';
import { fileJournal } from '../journal/file-journal';
import type { JournaledPage } from '../journal/journal';
import { emptyOld, writeTables } from './files';
import type { CsvLayout } from './files';

/** What a sink of CSV files is made with. */
export interface CsvTables {
  /** The folder is made when it is not there. */
  readonly folder: string;
  readonly layout: CsvLayout;
  /** How each run of the configuration writes, by its number. */
  readonly outputs: readonly OutputPlan[];
  /** Takes warnings about values that the tables cannot hold as they came. */
  readonly warn: Warn;
  /** An existing folder where rows wait while tables are made; the sink that keeps pages has one of its own. */
  readonly spoolFolder?: string;
}

/**
 * Linked tables (docs/language/tables.md) as CSV files in a folder: by mappings, or by the automatic conversion. Pages
 * wait in `.headwater` inside the folder.
 *
 * @throws FatalError from its methods: as {@link folderSink} and `createBuckets`
 * @example csvTables({ folder: 'out', layout: PLAIN, outputs, warn })
 */
export function csvTables({ folder, layout, outputs, warn }: CsvTables): DurableSink {
  const work = workFolderIn(folder);
  let kept: JsonObject = {};
  return folderSink({
    name: `csv:${folder}`,
    folder,
    makes: 'linked-tables',
    outputs,
    journal: fileJournal(join(work, 'journal')),
    prepare: async ({ pages, staging, manifest: { startedAt, fingerprint }, state: all }) => {
      const state = ownState(all, fingerprint);
      const spoolFolder = join(work, 'rows');
      await mkdir(spoolFolder, { recursive: true });
      const buckets = createBuckets({
        ...{ outputs, spoolFolder, state, startedAt, limitsColumns: true },
        ...warningsTo(warn),
      });
      try {
        const types = new Set<string>();
        for await (const page of pages()) {
          types.add(page.dataType);
          await buckets.add(asPage(page));
        }
        const made = await buckets.finish();
        await writeTables(made, { staging, old: folder, layout });
        await emptyOld(types, outputs, { staging, old: folder, layout });
        kept = merge(state, buckets.state());
        const stored: readonly Stored[] = made.flatMap(({ tables }) =>
          tables.map(({ name }) => ({ name: `${name}${layout.suffix}` })),
        );
        return { stored, state: withOwnState(all, fingerprint, kept) };
      } finally {
        await buckets.close();
      }
    },
    kept: () => kept,
  });
}

/** Turns what tables report of a run into warnings. */
export const warningsTo = (warn: Warn) => ({
  warn: (message: string): void => warn('TABLE_STRUCTURE', message),
  missing: (place: string): void =>
    warn('MAPPED_PATH_MISSING', `${place}: no item of this run has it. Correct the path.`),
});

function asPage({ run, dataType, extra, isPlain = false, lines }: JournaledPage): PageOfTables {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString('utf8');
  let items: readonly Item[] | undefined;
  return {
    iteration: run,
    job: { dataType },
    extra,
    texts: () => text.split('\n').slice(0, -1),
    get items() {
      items ??= itemsIn(text, isPlain ? (JSON.parse as (json: string) => Json) : parseData);
      return items;
    },
  };
}

/** Reads all lines in one go, since a line at a time takes longer. */
function itemsIn(lines: string, parse: (json: string) => Json): readonly Item[] {
  const list = parse(`[${lines.trimEnd().replaceAll('\n', ',')}]`);
  return isList(list) ? list : [];
}
