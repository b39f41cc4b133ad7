import { explain, partsOf } from '../index';
import type { PartSummary } from '../index';
import { loadComponents } from './components';
import { describe, EXIT, statusOf } from './exit-status';
import { print } from './print';

export interface ExplainFlags {
  readonly components?: readonly string[];
}

/**
 * `headwater explain [NAME]`: the page of a part, or all parts, on standard output. Resolves to the exit status.
 *
 * @param words the name, with the kind before it where two kinds have a part of this name; none: all parts
 */
export async function explainCommand(words: readonly string[], flags: ExplainFlags): Promise<number> {
  try {
    const components = await loadComponents(flags.components);
    if (words.length === 0) {
      print(listOf(partsOf(components)));
      return EXIT.success;
    }
    const explained = explain(words.join(' '), components);
    if ('page' in explained) {
      print(explained.page);
      return EXIT.success;
    }
    process.stderr.write(`${explained.fault} "headwater explain" lists all parts.\n`);
    return EXIT.userError;
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  }
}

/** A paragraph a kind, a line a part. */
function listOf(parts: readonly PartSummary[]): string {
  const widest = Math.max(...parts.map(({ name }) => name.length));
  const lines = (kind: string): string =>
    parts
      .filter((part) => part.kind === kind)
      .map(({ name, summary }) => `  ${name.padEnd(widest)}  ${summary}\n`)
      .join('');
  return [...new Set(parts.map(({ kind }) => kind))].map((kind) => `${kind}\n${lines(kind)}`).join('\n');
}
