/** What a regression test found, as text for a person. */
import type { Replaying, RunDifference } from '..';
import { fitted, visible, widthOf, wrapped } from './terminal';

/** Differences that are printed of one job or table. */
const MOST = 20;

/** @example amountsOf(replaying) // '1 job, 2 pages, 5 items, 1 table, 3 requests' */
export function amountsOf({ run: { jobs, tables }, requests }: Replaying): string {
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

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** All that is other, a paragraph a job and a table, in so many columns. */
export function testText(differences: readonly RunDifference[], { run, unasked, message }: Replaying, width: number) {
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
      ...shortened(found.map((each) => told(each, width))).flat(),
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

/** One line, or three where both values would not be seen in it. */
function told(
  { about, item, field, expected = 'none', got = 'none' }: RunDifference,
  width: number,
): readonly string[] {
  const place = `  ${[item === undefined ? about : `${about} ${item}`, ...(field === undefined ? [] : [field])].map(visible).join(', ')}:`;
  const [before, now] = [visible(expected), visible(got)];
  const line = `${place} expected ${before}, got ${now}`;
  return widthOf(line) <= width ? [line] : [place, `    expected ${before}`, `    got      ${now}`];
}
