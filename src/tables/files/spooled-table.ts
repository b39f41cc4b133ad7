/** A table whose rows wait in spools. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { csvLine, readCsv } from './csv-lines';
import type { Spool } from './spool';
import type { Table } from '../table';

/** @param parts its rows, one part after another */
export function spooledTable(
  head: Pick<Table, 'name' | 'columns' | 'primaryKey' | 'gaveWay' | 'dataType' | 'link'>,
  parts: readonly Spool[],
): Table {
  const csv = { [Symbol.asyncIterator]: () => chunksOf(parts) };
  const rows = { [Symbol.asyncIterator]: () => readCsv(csv) };
  const count = parts.reduce((sum, part) => sum + part.rows, 0);
  return { ...head, count, rows, csv, saveCsv: (path) => save(csvLine(head.columns), parts, path) };
}

async function* chunksOf(parts: readonly Spool[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield* part.chunks();
}

/** A single file that has the right header already need not be copied. */
async function save(header: string, parts: readonly Spool[], path: string): Promise<void> {
  const [first, ...others] = parts.filter((part) => !part.isEmpty);
  if (first?.header === header && others.length === 0) await first.moveTo(path);
  else await saveChunks(header, chunksOf(parts), path);
}

/** Makes a file of a header and chunks. */
export const saveChunks = (header: string, chunks: AsyncIterable<Uint8Array>, path: string): Promise<void> =>
  pipeline(withHeader(header, chunks), createWriteStream(path));

async function* withHeader(header: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(header);
  yield* chunks;
}
