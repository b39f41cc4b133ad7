import { statSync } from 'node:fs';
import { explain, partsOf } from '..';
import type { PartSummary } from '..';
import { loadComponents } from './components';
import { describe, EXIT, statusOf } from './exit-status';
import { print } from './output';
import { probeCommand } from './probe-command';

export interface ExplainFlags {
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
}

/**
 * `headwater explain [NAME | CONFIG…]`: prints the page of a part, all parts, or a description of configurations. Resolves to the exit
 * status, the worst one of several configurations.
 *
 * @param words the name, after the kind if two kinds share the name; none: all parts
 */
export async function explainCommand(words: readonly string[], flags: ExplainFlags): Promise<number> {
  if (areConfigurations(words)) return probeCommand(words, { ...flags, show: 'description' });
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

/** Returns whether words are paths or existing files. Names of parts contain dots as well, and have at most two words. */
const areConfigurations = (words: readonly string[]): boolean =>
  words.some(isPath) || (words.length > 0 && words.every(isFile));

const isPath = (word: string): boolean => word === '-' || /[/\\]|\.(?:jsonc?|ya?ml|[cm]?[jt]s)$/i.test(word);

const isFile = (word: string): boolean => statSync(word, { throwIfNoEntry: false })?.isFile() === true;

/** Returns a list with one paragraph for each kind, and one line for each part. */
function listOf(parts: readonly PartSummary[]): string {
  const widest = Math.max(...parts.map(({ name }) => name.length));
  const lines = (kind: string): string =>
    parts
      .filter((part) => part.kind === kind)
      .map(({ name, summary }) => `  ${name.padEnd(widest)}  ${summary}\n`)
      .join('');
  return [...new Set(parts.map(({ kind }) => kind))].map((kind) => `${kind}\n${lines(kind)}`).join('\n');
}
