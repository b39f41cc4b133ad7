import { basename, join } from 'node:path';
import type { DurableSink } from '../../core/durable-sink';
import { isList } from '../../core/json/keys';
import { merge } from '../../core/json/merge';
import { parseData } from '../../core/json/parse';
import { makeFolders } from '../../core/make-folders';
import type { Item, Json, JsonObject } from '../../core/model';
import type { OutputPlan } from '../../plan/plan';
import { withOwnState } from '../by-configuration';
import { safeName } from '../../tables/names';
import { addsRows } from '../../tables/loads';
import { createBuckets } from '../../tables/buckets';
import type { PageOfTables } from '../../tables/buckets';
import type { Bucket, Table } from '../../tables/table';
import type { Warn } from '../../language/parts/sink';
import { hasLines, nameAs, oldFileOf, superseded } from '../files/compression';
import type { Compression } from '../files/compression';
import { workFolderIn } from '../files/folder-sink';
import { fileJournal } from '../journal/file-journal';
import type { JournaledPage } from '../journal/journal';
import { namedColumns } from '../../tables/run-columns';
import type { BucketAddress } from '../s3/address';
import { fileSink } from '../s3/file-sink';
import { childTablesIn, withChildTables, withTablesOf } from './child-tables';
import { emptyOld, fileName, writeTables } from './files';
import type { CsvLayout } from './files';
import { withFilledLists } from '../filled-tables';
import { stateOfFolder, withStructureOf } from './structure';
import { checkTaken, tablesOfOthers } from './taken-tables';

/** What a sink of CSV files is made with. */
export interface CsvTables {
  /** The folder is made when it is not there. */
  readonly folder: string;
  readonly layout: CsvLayout;
  /** How each run of the configuration writes, by its number. */
  readonly outputs: readonly OutputPlan[];
  /** Takes warnings about values that the tables cannot hold as they came. */
  readonly warn: Warn;
  readonly compress?: Compression | undefined;
  /** The bucket of the files; absent: they stay in the folder. */
  readonly bucket?: BucketAddress | undefined;
  /** This is true where no two rows have the same id; default false. */
  readonly uniqueIds?: boolean;
  /** An existing folder where rows wait while tables are made; the sink that keeps pages has one of its own. */
  readonly spoolFolder?: string;
}

/**
 * Linked tables (docs/language/tables.md) as CSV files in a folder: by mappings, or by the automatic conversion. Pages
 * wait in `.headwater` inside the folder.
 *
 * @throws FatalError from its methods: as {@link fileSink} and `createBuckets`
 * @example csvTables({ folder: 'out', layout: PLAIN, outputs, warn })
 */
export function csvTables(tables: CsvTables): DurableSink {
  const { folder, layout, outputs, warn, compress, bucket, uniqueIds = false } = tables;
  const work = workFolderIn(folder);
  const named = new Set(outputs.map(({ bucket: of }) => of));
  /** Where tables of several buckets meet, the names of their files begin with the bucket. */
  const prefixes = Array.from(named, (of) => (named.size > 1 && of !== undefined ? `${of}.` : ''));
  const oldFile = (table: string): string | undefined => {
    const names = prefixes.map((prefix) => `${prefix}${safeName(table)}${layout.suffix}`);
    return names.map((name) => oldFileOf(folder, name)).find((file) => file !== undefined);
  };
  let kept: JsonObject = {};
  return fileSink(bucket, {
    isTable: (file) => file.endsWith(layout.suffix) || file.endsWith(nameAs(layout.suffix, 'gzip')),
    // A table that is left without rows keeps the header of its old file.
    alwaysReads: true,
    name: `csv:${folder}`,
    folder,
    makes: 'linked-tables',
    addsRunColumns: true,
    outputs,
    journal: fileJournal(join(work, 'journal')),
    hasRows: (table) => hasLines(oldFile(table), 2),
    isThere: (table) => oldFile(table) !== undefined,
    prepare: async ({ pages, staging, isOwn, unfed, manifest: { id, startedAt, fingerprint }, state: all }) => {
      const isAdded = (type: string): boolean => outputs.some((output) => addsRows(output, type));
      const state = stateOfFolder(all, fingerprint, isAdded);
      const spoolFolder = join(work, 'rows');
      await makeFolders(spoolFolder);
      const buckets = createBuckets({
        ...{ outputs, spoolFolder, state, startedAt, limitsColumns: true },
        uniqueIn: uniqueIds ? id : undefined,
        ...warningsTo(warn),
      });
      try {
        const types = new Set<string>(unfed);
        const asPages = async function* (): AsyncGenerator<PageOfTables> {
          for await (const page of pages()) yield asPage(page);
        };
        if (!layout.manifests) await buckets.learn(asPages);
        for await (const page of pages()) {
          types.add(page.dataType);
          await buckets.add(asPage(page));
        }
        const made = await buckets.finish();
        const known = childTablesIn(all);
        const others = tablesOfOthers(known, outputs);
        const fileOf = (bucket: Bucket, table: Table): string | undefined => {
          const old = oldFileOf(folder, fileName(bucket, table, layout, made.length > 1));
          return old === undefined ? undefined : basename(old);
        };
        checkTaken(made, others, { outputs, fileOf });
        const places = { staging, old: folder, layout, compress, warn };
        const written = await writeTables(made, known, places);
        const files = new Map([...written.files, ...(await emptyOld(types, known, outputs, places))]);
        kept = merge(state, buckets.state());
        const removed = superseded(files, { folder, isOwn, warn: (message) => warn('TABLE_STRUCTURE', message) });
        const lists = made.flatMap((each) =>
          each.tables.flatMap(({ name, link, count }) =>
            link === undefined ? [] : [{ table: name, parent: link.parent, rows: count }],
          ),
        );
        return {
          stored: written.stored,
          removed,
          state: withChildTables(
            withStructureOf(withOwnState(withFilledLists(all, lists), fingerprint, kept), fingerprint, kept, types),
            withTablesOf(known, made, others),
          ),
        };
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

function asPage(page: JournaledPage): PageOfTables {
  const { run, dataType, isPlain = false, lines } = page;
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString('utf8');
  let items: readonly Item[] | undefined;
  return {
    iteration: run,
    table: dataType,
    extra: namedColumns(page),
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
