/** Documents whose commands are run as they stand: what a sample shows is what its commands print. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './build';

/** A block of a page. */
export interface Sample {
  /** The comment before it: how it is run. */
  readonly mark: string;
  readonly language: string;
  readonly content: string;
}

/** @param page its path in the project */
export const samplesOf = (page: string): readonly Sample[] =>
  [
    ...readFileSync(join(ROOT, page), 'utf8').matchAll(/(?:^<!-- ((?:(?!-->).)*) -->\n\n)?^```(\w+)\n(.*?)^```$/gms),
  ].map(([, mark = '', language = '', content = '']) => ({ mark, language, content }));

/** A command of a sample, with what is shown below it. */
export interface Step {
  readonly command: string;
  readonly shown: string;
}

const PROMPT = '$ ';

/** Returns the commands of a sample that begins with one. */
export function stepsOf({ content }: Sample): readonly Step[] {
  const [before, ...steps] = `\n${content}`.split(`\n${PROMPT}`);
  expect(before).toBe('');
  expect(steps.length).toBeGreaterThan(0);
  return steps.map((step) => {
    const end = step.indexOf('\n');
    return { command: step.slice(0, end), shown: step.slice(end + 1) };
  });
}

/** The words of a command line after `headwater`, up to a redirection or a comment. */
export const wordsOf = (line: string): readonly string[] =>
  line
    .split(/ > | +# /, 1)[0]
    ?.match(/"[^"]*"|'[^']*'|\S+/g)
    ?.slice(1)
    .map((word) => word.replace(/^["']|["']$/g, '')) ?? [];

/** What differs from run to run and from machine to machine. */
const steady = (printed: string): string =>
  printed
    .replace(/\b\d+(?:\.\d+)? (ms|s)\b/g, 'N $1')
    .replace(/\bversion \d+\.\d+\.\d+/g, 'version N')
    .trimEnd();

/** Checks that something is printed as it is shown: `…` is anything, and a line of it alone is any lines. */
export function expectAsShown(printed: string, shown: string): void {
  const lines = steady(shown)
    .split('\n')
    .map((line) =>
      line.trim() === '…'
        ? '(?:[^\n]*\n)*?'
        : `${line
            .split('…')
            .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
            .join('[^\n]*')}\n`,
    );
  const isAsShown = new RegExp(`^${lines.join('')}$`).test(`${steady(printed)}\n`);
  expect(isAsShown ? shown : printed).toBe(shown);
}
