import { counted } from '../core/text';
import { readFile, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { FatalError, acceptedText, differencesOf, readAccepted, replayRun } from '..';
import type { ReplayedRun, Replaying, RunDifference } from '..';
import { environmentOf, lookAtEach, nameIn } from './configurations';
import type { OneConfiguration } from './configurations';
import { EXIT, abortOnInterruption, describe } from './exit-status';
import { fitted, print, printJson, printUnder, terminalWidth, visible, widthOf, wrapped } from './output';
import { readRecording } from './recording-file';
import { readStateFile, sealOfEnvironment } from './state-file';

export interface TestFlags {
  readonly recording?: string;
  readonly expected?: string;
  readonly update: boolean;
  readonly format: 'text' | 'json';
  readonly state?: string;
  readonly lenient: boolean;
  readonly components?: readonly string[];
  readonly envFile?: readonly string[];
}

/**
 * `headwater test CONFIG…`: replays recordings, and prints the differences to the accepted results. Nothing is requested, and no state is
 * written. Resolves to the worst exit status.
 */
export async function testCommand(paths: readonly string[], flags: TestFlags): Promise<number> {
  const { signal, forget } = abortOnInterruption();
  try {
    const { components, expected, state } = flags;
    const own = { '--expected': expected, '--state': state };
    return await lookAtEach(paths, { signal, components, own }, (configuration) =>
      testOne(configuration, flags, signal),
    );
  } finally {
    forget();
  }
}

async function testOne(
  { path, read, components, name }: OneConfiguration,
  flags: TestFlags,
  signal: AbortSignal,
): Promise<number> {
  const { lenient, format, update } = flags;
  const named = (value: string | undefined): string | undefined => (value === undefined ? value : nameIn(value, path));
  const recording = named(flags.recording) ?? besideOf(path, '.har', '--recording');
  const expected = named(flags.expected) ?? besideOf(recording, '.expected.json', '--expected');
  const state = named(flags.state);
  const accepted = update ? undefined : await acceptedIn(expected);
  const replaying = await replayRun(read.configuration, await readRecording('--recording', recording), {
    ...{ lenient, components, signal, ...environmentOf(flags) },
    ...(state === undefined ? {} : { state: await readStateFile(state, sealOfEnvironment()) }),
  });
  if (accepted === undefined) return accept(expected, replaying);
  const { run, unasked, message } = replaying;
  const differences = differencesOf(accepted, run);
  const isSame = differences.length === 0 && unasked.length === 0 && run.error !== 'NOT_RECORDED';
  if (format === 'json')
    printJson(name, { isSame, differences, unasked, ...(message === undefined ? {} : { message }) });
  else if (isSame) print(`${name === undefined ? '' : `${name}: `}As accepted: ${amountsOf(replaying)}.\n`);
  else printUnder(name, testText(differences, replaying, terminalWidth()));
  return isSame ? EXIT.success : EXIT.userError;
}

/** Returns the file beside another one, with the same name and another ending. */
function besideOf(path: string, ending: string, option: string): string {
  if (path === '-')
    throw new FatalError(
      'CONFIG_UNREADABLE',
      `A configuration on standard input has no name: name the file with ${option}.`,
    );
  const { dir, name } = parse(path);
  return join(dir, name + ending);
}

/** @throws FatalError CONFIG_UNREADABLE when nothing was accepted yet: a test that compares nothing must not pass */
async function acceptedIn(path: string): Promise<ReplayedRun> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    const isNew = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const why = isNew
      ? 'is not there, so that there is nothing to compare with. Look at what the run gives, and accept it with --update'
      : `cannot be read: ${String(cause)}`;
    throw new FatalError('CONFIG_UNREADABLE', `--expected: ${path} ${why}.`, { cause });
  });
  try {
    return readAccepted(text);
  } catch (cause) {
    throw new FatalError('CONFIG_UNREADABLE', `--expected: ${path}: ${describe(cause)}`, { cause });
  }
}

/** Writes the result as the expected one, unless the recording does not fit: then it does not show what the configuration does. */
async function accept(path: string, replaying: Replaying): Promise<number> {
  const { run, unasked } = replaying;
  if (run.error === 'NOT_RECORDED' || unasked.length > 0) {
    process.stderr.write(testText([], replaying, terminalWidth()));
    process.stderr.write('Nothing was accepted: record a run of this configuration again, with run --record.\n');
    return EXIT.userError;
  }
  await writeFile(path, acceptedText(run)).catch((cause: unknown) => {
    throw new FatalError('CONFIG_UNREADABLE', `--expected: ${path} cannot be written: ${String(cause)}`, { cause });
  });
  const how =
    run.error === undefined
      ? ''
      : ` The run fails, and that is expected from now on: ${replaying.message ?? run.error}`;
  print(`Accepted in ${path}: ${amountsOf(replaying)}.${how}\n`);
  return EXIT.success;
}

/** The maximum number of differences that are printed for each job or table. */
const MOST = 20;

/** @example amountsOf(replaying) // '1 job, 2 pages, 5 items, 1 table, 3 requests' */
function amountsOf({ run: { jobs, tables }, requests }: Replaying): string {
  const sum = (of: (job: (typeof jobs)[number]) => number): number => jobs.reduce((all, job) => all + of(job), 0);
  return [
    counted(jobs.length, 'job'),
    counted(
      sum(({ pages }) => pages),
      'page',
    ),
    counted(
      sum(({ items }) => items.length),
      'item',
    ),
    counted(tables.length, 'table'),
    counted(requests, 'request'),
  ].join(', ');
}

/** Returns all differences, one paragraph for each job and table, in that many columns. */
function testText(differences: readonly RunDifference[], { run, unasked, message }: Replaying, width: number) {
  const groups = new Map<string, RunDifference[]>();
  for (const each of differences) {
    const title = each.of === undefined ? 'the run' : `${IN_TABLES.has(each.about) ? 'table ' : ''}${each.of}`;
    groups.set(title, [...(groups.get(title) ?? []), each]);
  }
  const notRecorded = run.error === 'NOT_RECORDED' && message !== undefined ? wrapped(visible(message), width - 2) : [];
  const paragraphs = [
    ...(notRecorded.length === 0 ? [] : [['not recorded', ...notRecorded.map((line) => `  ${line}`)]]),
    ...(unasked.length === 0
      ? []
      : [['recorded, but not requested', ...shortened(unasked.map((line) => [`  ${visible(line)}`])).flat()]]),
    ...Array.from(groups, ([title, found]) => [
      visible(title),
      ...shortened(found.map((each) => differenceLines(each, width))).flat(),
    ]),
  ];
  const text = paragraphs
    .flat()
    .map((line) => `${fitted(line, width)}\n`)
    .join('');
  if (differences.length === 0) return text;
  return `${text}${counted(differences.length, 'difference')}. If that is wanted, accept it with --update.\n`;
}

const IN_TABLES: ReadonlySet<RunDifference['about']> = new Set(['table', 'column', 'rows']);

const shortened = (all: readonly (readonly string[])[]): readonly (readonly string[])[] =>
  all.length <= MOST ? all : [...all.slice(0, MOST), [`  and ${all.length - MOST} more`]];

/** Returns one line, or three if both values do not fit in it. */
function differenceLines(
  { about, item, field, expected = 'none', got = 'none' }: RunDifference,
  width: number,
): readonly string[] {
  const place = `  ${[item === undefined ? about : `${about} ${item}`, ...(field === undefined ? [] : [field])].map(visible).join(', ')}:`;
  const [before, now] = [visible(expected), visible(got)];
  const line = `${place} expected ${before}, got ${now}`;
  return widthOf(line) <= width ? [line] : [place, `    expected ${before}`, `    got      ${now}`];
}
