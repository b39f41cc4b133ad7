/** The items of all pages, kept so that rows can be made once more when the structure has grown. */
import { parseList } from '../../core/json/parse';
import type { Item } from '../../core/model';
import type { Spool } from '../files/spool';

/** One page as it is kept. */
export interface LoggedPage {
  readonly dataType: string;
  readonly extra: ReadonlyMap<string, string>;
  /** The JSON texts of the items, at least one. */
  readonly texts: readonly string[];
}

/** The line before the items of a page. */
interface Description {
  readonly dataType: string;
  readonly extra: readonly (readonly [string, string])[];
  readonly items: number;
}

/** Lines in a spool: for each page one that describes it, then one for each item. */
export class PageLog {
  constructor(private readonly spool: Spool) {}

  append({ dataType, extra, texts }: LoggedPage): void {
    const description: Description = { dataType, extra: [...extra], items: texts.length };
    this.spool.appendText(JSON.stringify(description));
    for (const text of texts) this.spool.appendText(text);
  }

  /** The pages in the order in which they were appended. */
  async *pages(): AsyncGenerator<LoggedPage> {
    let description: Description | undefined;
    let texts: string[] = [];
    for await (const lines of linesOf(this.spool.chunks()))
      for (const line of lines) {
        if (description === undefined) description = JSON.parse(line) as Description;
        else texts.push(line);
        if (texts.length < description.items) continue;
        yield { dataType: description.dataType, extra: new Map(description.extra), texts };
        description = undefined;
        texts = [];
      }
  }
}

/** The items of a page, digit for digit. */
export const itemsOf = (page: LoggedPage): readonly Item[] => parseList(page.texts);

/** Whole lines, as many at once as a chunk completes. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield lines;
  }
}
