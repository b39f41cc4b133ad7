import { finished } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { openData } from '..';
import { describe, EXIT, statusOf } from './exit-status';
import { jsonText } from './json-text';
import { print } from './print';
import { summaryText, textOfResult } from './query-text';
import type { QueryFormat } from './query-text';
import { outputWidth } from './terminal';

export interface QueryFlags {
  readonly format: QueryFormat;
  readonly summary: boolean;
}

/** `headwater query FILE SQL`: what a statement gives of loaded data, on standard output. Resolves to the exit status. */
export async function queryCommand(path: string, sql: string | undefined, flags: QueryFlags): Promise<number> {
  const { format, summary } = flags;
  try {
    const data = await openData(path);
    try {
      if (summary) {
        const summaries = await data.summary();
        print(format === 'table' ? summaryText(summaries, outputWidth()) : jsonText(summaries));
      } else if (sql === undefined) {
        print(data.tables.map((table) => `${table}\n`).join(''));
      } else await printed(textOfResult(await data.query(sql), format, outputWidth()));
      return EXIT.success;
    } finally {
      await data.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return EXIT.brokenPipe;
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  }
}

/** Waits for a slow reader. */
async function printed(pieces: AsyncIterable<string>): Promise<void> {
  const source = Readable.from(pieces);
  source.pipe(process.stdout, { end: false });
  const broken = new Promise<never>((_, reject) => process.stdout.once('error', reject));
  await Promise.race([finished(source), broken]);
}
