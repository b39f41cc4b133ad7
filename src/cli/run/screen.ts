import { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import type { JobSnapshot, RunSnapshot } from '../..';
import { jobParts, runParts, visible } from './progress-parts';
import type { Part } from './progress-parts';
import { counted } from '../../core/text';

/** Lines at the bottom of a terminal that are redrawn, and the log above them. */
export interface Screen {
  /** The stream of the log, whose lines appear above. */
  readonly log: Writable;
  /** Starts drawing. */
  readonly show: (snapshot: () => RunSnapshot) => void;
  /** Ends drawing: removes the lines, or leaves them. The log continues. */
  readonly end: (how: 'clear' | 'leave') => void;
}

/** Milliseconds between two drawings, whatever happens in between. */
const PACE = 125;
const ESCAPE = '\u001B[';

export type ScreenStream = Pick<WriteStream, 'write' | 'on' | 'off'> & {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
};

/** The function that redraws lines: `log-update`. */
export interface Redraw {
  (text: string): void;
  readonly clear: () => void;
  readonly done: () => void;
}

/** Opens a screen. `log-update` and `string-width` are loaded only here, for a terminal to draw on. */
export async function openScreen(stream: WriteStream, heading?: string): Promise<Screen> {
  const [{ createLogUpdate }, { default: measure }] = await Promise.all([import('log-update'), import('string-width')]);
  return createScreen(stream, createLogUpdate(stream), measure, heading);
}

/** @param heading is shown above the lines */
function createScreen(stream: ScreenStream, redraw: Redraw, measure: Measure, heading?: string): Screen {
  let waiting: string[] = [];
  let drawn: readonly string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let snapshot: (() => RunSnapshot) | undefined;

  const size = () => ({ columns: stream.columns ?? 80, rows: stream.rows ?? 24 });
  const erase = (): void => {
    if (drawn.length === 0) return;
    // Lines that are wider than the terminal is now have wrapped.
    const { columns } = size();
    const more = drawn.reduce((rows, line) => rows + Math.max(0, Math.ceil(measure(line) / columns) - 1), 0);
    redraw.clear();
    if (more > 0) stream.write(`${`${ESCAPE}1A${ESCAPE}2K`.repeat(more)}\r`);
    drawn = [];
  };
  const flush = (): void => {
    if (waiting.length === 0) return;
    erase();
    stream.write(waiting.join(''));
    waiting = [];
  };
  const draw = (): void => {
    flush();
    if (snapshot === undefined) return;
    const { columns, rows } = size();
    const head = heading === undefined ? [] : [cut(visible(heading), columns, measure)];
    const lines = [...head, ...screenLines(snapshot(), Date.now(), { columns, rows: rows - head.length }, measure)];
    if (lines.length !== drawn.length) erase();
    redraw(lines.join('\n'));
    drawn = lines;
  };
  /** At the end of the process, whatever is in progress: the echo of a key, such as `^C`, is where the next line belongs. */
  const left = (): void => {
    flush();
    stream.write('\n');
  };
  const resized = (): void => {
    erase();
    draw();
  };
  return {
    log: new Writable({
      decodeStrings: false,
      write: (text: string | Buffer, _, done) => {
        if (snapshot === undefined) stream.write(text);
        else waiting.push(text.toString());
        done();
      },
    }),
    show: (next) => {
      if (snapshot !== undefined) return;
      snapshot = next;
      // The timer does not keep the process alive.
      timer = setInterval(draw, PACE);
      timer.unref();
      stream.on('resize', resized);
      process.on('exit', left);
    },
    end: (how) => {
      if (snapshot === undefined) return;
      clearInterval(timer);
      stream.off('resize', resized);
      process.off('exit', left);
      if (how === 'leave') draw();
      else {
        erase();
        flush();
      }
      redraw.done();
      [snapshot, drawn] = [undefined, []];
    },
  };
}

/** The size of a terminal, in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** The maximum share of a line for names. */
const MOST_OF_LINE = 1 / 3;

/**
 * Returns a run as lines for a terminal: one for each job, and one for the run. No line is wider than the terminal, and there are fewer
 * than it has rows: running jobs come first, then those that began last; the others are only counted.
 */
export function screenLines(
  run: RunSnapshot,
  now: number,
  { columns, rows }: ScreenSize,
  measure: Measure,
): readonly string[] {
  const all = run.jobs.filter(({ parent }) => parent === undefined);
  const room = Math.max(0, rows - 2);
  const jobs = all.length <= room ? all : chosen(all, Math.max(0, room - 1));
  const most = Math.floor(columns * MOST_OF_LINE);
  const names = jobs.map(({ name }) => cut(visible(name), most, measure));
  const widest = Math.max(0, ...names.map(measure));
  const lines = jobs.map((job, at) =>
    fitted(padded(names[at] ?? '', widest, measure), jobParts(job, run, now), columns, measure),
  );
  const others = all.length - jobs.length;
  const more = others === 0 || room === 0 ? [] : [cut(`… and ${counted(others, 'more job')}`, columns, measure)];
  return [...lines, ...more, fitted('', runParts(run, now), columns, measure)];
}

function chosen(jobs: readonly JobSnapshot[], most: number): readonly JobSnapshot[] {
  const byNeed = [
    ...jobs.filter(({ state }) => state === 'running'),
    ...jobs.filter(({ state }) => state !== 'running').reverse(),
  ];
  const shown = new Set(byNeed.slice(0, most));
  return jobs.filter((job) => shown.has(job));
}

/** Returns the number of columns of a string in a terminal: an ideogram takes two, a combining accent none. */
export type Measure = (text: string) => number;

const GAP = '  ';
const characters = new Intl.Segmenter();

/**
 * Returns the text, cut to that many columns.
 *
 * @example cut('水位の測定', 7, stringWidth) // '水位の…'
 */
export function cut(text: string, columns: number, measure: Measure): string {
  if (measure(text) <= columns) return text;
  let kept = '';
  for (const { segment } of characters.segment(text)) {
    if (measure(kept + segment) >= columns) break;
    kept += segment;
  }
  return columns > 0 ? `${kept}…` : '';
}

/** Returns the text padded with blanks to that many columns. */
const padded = (text: string, columns: number, measure: Measure): string =>
  text + ' '.repeat(Math.max(0, columns - measure(text)));

/** Returns one line of a name and parts, leaving out the least important parts until it fits that many columns. */
function fitted(name: string, parts: readonly Part[], columns: number, measure: Measure): string {
  const line = [name, ...parts.map(({ text }) => text)].filter((text) => text !== '').join(GAP);
  if (measure(line) <= columns) return line;
  const least = Math.max(...parts.map(({ rank }) => rank));
  if (parts.length <= 1) return cut(line, columns, measure);
  const at = parts.findLastIndex(({ rank }) => rank === least);
  return fitted(name, parts.toSpliced(at, 1), columns, measure);
}
