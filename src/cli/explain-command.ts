import { statSync } from 'node:fs';
import { explain, explainConfiguration, partsOf, validate } from '..';
import type { Paragraph, PartSummary } from '..';
import { loadComponents } from './components';
import { lookAtEach, environmentOf } from './configurations';
import { describe, EXIT, statusOf } from './exit-status';
import { marked, print, printUnder, terminalWidth } from './output';
import { warnOfMissingSecrets } from './plan-command';

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
  const { components: modules } = flags;
  if (areConfigurations(words))
    return lookAtEach(words, { components: modules }, ({ read, components, label, name }) => {
      const options = { components, unset: 'stand in', ...environmentOf(flags) } as const;
      const explained = explainConfiguration(read.configuration, options);
      warnOfMissingSecrets(validate(read.configuration, options), label);
      printUnder(name, paragraphs(explained, terminalWidth()));
      return EXIT.success;
    });
  try {
    const components = await loadComponents(modules);
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

const paragraphs = (all: readonly Paragraph[], width: number): string =>
  all
    .map(({ about, path, sentences }) =>
      [`${about}  (${path})`, ...sentences]
        .flatMap((text, at) => marked(at === 0 ? '' : '  ', text, width))
        .map((line) => `${line}\n`)
        .join(''),
    )
    .join('\n');

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
