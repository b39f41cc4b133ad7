import { statSync } from 'node:fs';
import { explain, explainConfiguration, partsOf, readConfiguration } from '../index';
import type { Paragraph, PartSummary, ReadConfiguration } from '../index';
import { loadComponents } from './components';
import { environmentOf } from './environment';
import { describe, EXIT, statusOf } from './exit-status';
import { marked } from './labelled';
import { print } from './print';
import { terminalWidth } from './terminal';

export interface ExplainFlags {
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
}

/**
 * `headwater explain [NAME | CONFIG]`: the page of a part, all parts, or what a configuration does, on standard output. Resolves to the exit status.
 *
 * @param words the name, with the kind before it where two kinds have a part of this name; none: all parts
 */
export async function explainCommand(words: readonly string[], flags: ExplainFlags): Promise<number> {
  let read: ReadConfiguration | undefined;
  try {
    const components = await loadComponents(flags.components);
    if (words.length === 0) {
      print(listOf(partsOf(components)));
      return EXIT.success;
    }
    const [file = ''] = words;
    if (words.length === 1 && isConfiguration(file)) {
      read = await readConfiguration(file);
      const told = explainConfiguration(read.configuration, { components, ...environmentOf(flags) });
      print(paragraphs(told, terminalWidth()));
      return EXIT.success;
    }
    const explained = explain(words.join(' '), components);
    if ('page' in explained) {
      print(explained.page);
      return EXIT.success;
    }
    process.stderr.write(`${explained.fault} "headwater explain" lists all parts.\n`);
    return EXIT.userError;
  } catch (failure) {
    const error = read?.located(failure) ?? failure;
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  }
}

/** A path, or a file that is there: names of parts have dots, too. */
const isConfiguration = (word: string): boolean =>
  word === '-' ||
  /[/\\]|\.(?:jsonc?|ya?ml|[cm]?[jt]s)$/i.test(word) ||
  statSync(word, { throwIfNoEntry: false })?.isFile() === true;

const paragraphs = (all: readonly Paragraph[], width: number): string =>
  all
    .map(({ about, path, sentences }) =>
      [`${about}  (${path})`, ...sentences]
        .flatMap((text, at) => marked(at === 0 ? '' : '  ', text, width))
        .map((line) => `${line}\n`)
        .join(''),
    )
    .join('\n');

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
