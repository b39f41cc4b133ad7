import { blockOf, BrokenItems } from '../../core/json/item-reader';
import type { ItemBlock, ItemReader } from '../../core/json/item-reader';
import { brokenUnless } from './broken-unless';
import { quickRows } from './csv-rows';
import type { QuickRows } from './csv-rows';
import { readTable } from './csv-table';
import type { CsvFormat } from './csv-table';
import type { TextOf } from '../../language/parts/format/define';
import { LineBlocks } from './line-blocks';
import { Unreadable } from '../../language/parts/format/unreadable';

/**
 * Reads lines as they arrive, in blocks of whole ones. The first line has the names or tells the number of fields. What is unusual in a
 * block is left to the reader of whole bodies, which gets that line before it; its own items are left out then.
 */
export function streamCsv(format: CsvFormat, textOf: TextOf): ItemReader {
  const { quote, skipLines } = format;
  if (quote.charCodeAt(0) > LAST_ASCII)
    throw new BrokenItems(`with "stream" a quote has to be an ASCII character, and ${JSON.stringify(quote)} is none`);
  const blocks = new LineBlocks({
    skipLines,
    firstAlone: true,
    ...(quote === '' ? {} : { quote: quote.charCodeAt(0) }),
  });
  let first: { readonly text: string; readonly rows: number; readonly read: QuickRows | undefined } | undefined;
  /** What came before there were names: empty lines, and lines that are skipped. */
  let head = '';
  let done = 0;
  const carefully = (text: string): ItemBlock =>
    brokenAfter(done, () => {
      const { keys, rows } = readTable((first?.text ?? head) + text, format);
      if (first === undefined && keys.length === 0) {
        head += text;
        return blockOf([]);
      }
      const own = rows.slice(first?.rows ?? 0);
      first ??= { text: head + text, rows: rows.length, read: quickRows(keys, format) };
      const memberOf = (cell: string, at: number): string => `${JSON.stringify(keys[at])}:${JSON.stringify(cell)}`;
      return blockOf(own.map((cells) => `{${cells.map(memberOf).join(',')}}`));
    });
  const itemsOf = (bytes: Uint8Array): ItemBlock => {
    const text = textOf(bytes);
    const block = first?.read?.(Buffer.from(text)) ?? carefully(text);
    done += block.starts.length;
    return block;
  };
  return {
    heading: () => (done === 0 ? first?.text.trim() : undefined),
    push: (bytes) => blocks.push(bytes).map(itemsOf),
    end: () => {
      const rest = blocks.rest();
      return rest.length === 0 ? [] : [itemsOf(rest)];
    },
  };
}

const LAST_ASCII = 0x7f;

/** The lines of a block are counted from the first one of the body, so the message tells where the block begins. */
const brokenAfter = <T>(items: number, read: () => T): T =>
  brokenUnless(() => {
    try {
      return read();
    } catch (error) {
      if (items === 0 || !(error instanceof Unreadable)) throw error;
      throw new Unreadable(`after item ${items}, counting lines from there: ${error.message}`);
    }
  });
