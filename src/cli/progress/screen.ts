import { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import type { RunSnapshot } from '../..';
import { cut } from './fit';
import type { Measure } from './fit';
import { screenLines } from './screen-lines';
import { visible } from './words';

/** Lines at the bottom of a terminal that are drawn again and again, and the log above them. */
export interface Screen {
  /** Where the log goes: its lines come above. */
  readonly log: Writable;
  /** Begins to draw. */
  readonly show: (snapshot: () => RunSnapshot) => void;
  /** Ends it: takes the lines away, or leaves them as they are. The log goes on as ever. */
  readonly end: (how: 'clear' | 'leave') => void;
}

/** Milliseconds from one drawing to the next, whatever happens in between. */
const PACE = 125;
const ESCAPE = '\u001B[';

export type ScreenStream = Pick<WriteStream, 'write' | 'on' | 'off'> & {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
};

/** What draws lines again: `log-update`. */
export interface Redraw {
  (text: string): void;
  readonly clear: () => void;
  readonly done: () => void;
}

/** Opens a screen. `log-update` and `string-width` are loaded here, where there is a terminal to draw on. */
export async function openScreen(stream: WriteStream, heading?: string): Promise<Screen> {
  const [{ createLogUpdate }, { default: measure }] = await Promise.all([import('log-update'), import('string-width')]);
  return createScreen(stream, createLogUpdate(stream), measure, heading);
}

/** @param heading stands above the lines */
function createScreen(stream: ScreenStream, redraw: Redraw, measure: Measure, heading?: string): Screen {
  let waiting: string[] = [];
  let drawn: readonly string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let snapshot: (() => RunSnapshot) | undefined;

  const size = () => ({ columns: stream.columns ?? 80, rows: stream.rows ?? 24 });
  const erase = (): void => {
    if (drawn.length === 0) return;
    // Lines that are wider than the terminal is now have become several.
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
  /** The process ends, whatever is under way: what the terminal shows of a key, such as `^C`, stands where the next line belongs. */
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
      // Nobody waits for the next drawing: a process that has nothing else to do ends.
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
