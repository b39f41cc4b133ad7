/** Draws requests as bars, by job and lane, on a canvas: what is older than its bars as sums of spans of time. */
import { MOST_LANES } from './history';
import type { History } from './history';

const LANE = 7;
const HEAD = 18;
const GAP = 14;
const SCALE = 24;
const LEAST_HEIGHT = 72;
/** The stripe of pages that wait for the destination, below the lanes of a job. */
const HELD = 8;
const FATES = ['ok', 'refused', 'failed'] as const;

/** What of a run is shown, in milliseconds since it began. */
export interface Shown {
  readonly begin: number;
  readonly end: number;
}

/** What drawing needs, worked out once for a picture. */
interface Pen {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  readonly shown: Shown;
  readonly x: (moment: number) => number;
  readonly colour: Readonly<Record<Colour, string>>;
  /** The tops of the jobs, by their numbers. */
  readonly tops: readonly number[];
}

const COLOURS = [
  'text',
  'faint',
  'line',
  'bar-ok',
  'bar-refused',
  'bar-failed',
  'bar-wait',
  'bar-login',
  'bar-held',
] as const;
type Colour = (typeof COLOURS)[number];

/** @param canvas gets the height that the lanes need */
export function drawTimeline(canvas: HTMLCanvasElement, history: History, shown: Shown): void {
  const pen = penOf(canvas, history, shown);
  if (pen === undefined) return;
  drawScale(pen);
  drawSpans(pen, history);
  drawBars(pen, history);
  drawMarks(pen, history);
  history.reported.jobs.forEach(({ name }, job) => {
    pen.context.fillStyle = pen.colour.text;
    pen.context.fillText(name, 2, (pen.tops[job] ?? 0) + 12);
  });
}

function penOf(canvas: HTMLCanvasElement, { reported, lanes }: History, shown: Shown): Pen | undefined {
  const context = canvas.getContext('2d');
  if (context === null) return undefined;
  const style = getComputedStyle(canvas);
  const { width } = canvas.getBoundingClientRect();
  const tops: number[] = [];
  const needed = reported.jobs.reduce((top, _, job) => {
    tops[job] = top;
    return top + HEAD + (lanes[job] ?? 1) * LANE + GAP;
  }, SCALE);
  const height = Math.max(needed, LEAST_HEIGHT);
  fit(canvas, width, height);
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = '12px system-ui, sans-serif';
  const colours = COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]);
  return {
    ...{ context, width, height, shown, tops },
    x: (moment) => ((moment - shown.begin) / (shown.end - shown.begin)) * width,
    colour: Object.fromEntries(colours) as Pen['colour'],
  };
}

/** A canvas whose size is set is made again, so it is set only when it changes. */
function fit(canvas: HTMLCanvasElement, width: number, height: number): void {
  const [wide, high] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)];
  if (canvas.width === wide && canvas.height === high) return;
  canvas.style.height = `${height}px`;
  canvas.width = wide;
  canvas.height = high;
}

/** Bars that fall onto the same pixels are drawn once, so that a picture takes no longer the more requests there are. */
function drawBars({ context, shown, x, colour, tops }: Pen, { bars, barsFrom }: History): void {
  const drawn = new Map<number, { readonly right: number; readonly fate: string }>();
  for (const [job, lane, from, to, fate, waited] of bars) {
    if (to < Math.max(shown.begin, barsFrom) || from > shown.end) continue;
    const row = Math.min(lane, MOST_LANES - 1);
    const y = (tops[job] ?? 0) + HEAD + row * LANE;
    const [left, right] = [x(from), Math.max(x(from) + 1, x(to) - 0.5)];
    const before = drawn.get(job * MOST_LANES + row);
    if (before !== undefined && before.fate === fate && right - before.right < 0.5) continue;
    drawn.set(job * MOST_LANES + row, { right, fate });
    if (waited > 0) {
      context.fillStyle = colour['bar-wait'];
      context.fillRect(x(from - waited), y + 1, Math.max(1, left - x(from - waited)), LANE - 4);
    }
    context.fillStyle = colour[`bar-${fate}`];
    context.fillRect(left, y, right - left, LANE - 2);
  }
}

/** Before the first bar, requests are columns as high as there are many; pages that are held are hatched everywhere. */
function drawSpans({ context, shown, x, colour, tops }: Pen, { reported, spans, lanes, barsFrom }: History): void {
  const { milliseconds } = reported.spans;
  const visible = [...spans.values()].filter(
    ({ step }) => (step + 1) * milliseconds > shown.begin && step * milliseconds < shown.end,
  );
  const most = Math.max(1, ...visible.map(({ ok, refused, failed }) => ok + refused + failed));
  const mostHeld = Math.max(1, ...visible.map(({ held }) => held));
  const hatching = hatched(context, colour['bar-held']);
  for (const span of visible) {
    const from = span.step * milliseconds;
    const left = x(from);
    const width = Math.max(1, x(from + milliseconds) - left);
    const bottom = (tops[span.job] ?? 0) + HEAD + (lanes[span.job] ?? 1) * LANE;
    if (span.held > 0) {
      context.fillStyle = hatching;
      context.fillRect(left, bottom, width, Math.max(3, (span.held / mostHeld) * HELD));
    }
    if (from >= barsFrom) continue;
    let y = bottom - 2;
    for (const fate of FATES) {
      const high = (span[fate] / most) * ((lanes[span.job] ?? 1) * LANE - 2);
      if (span[fate] === 0) continue;
      y -= Math.max(1, high);
      context.fillStyle = colour[`bar-${fate}`];
      context.fillRect(left, y, width, Math.max(1, high));
    }
  }
}

function hatched(context: CanvasRenderingContext2D, colour: string): CanvasPattern | string {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 6;
  const lines = tile.getContext('2d');
  if (lines === null) return colour;
  lines.strokeStyle = colour;
  lines.lineWidth = 2;
  for (const shift of [-6, 0, 6]) {
    lines.moveTo(shift, 6);
    lines.lineTo(shift + 6, 0);
  }
  lines.stroke();
  return context.createPattern(tile, 'repeat') ?? colour;
}

/** Logins and pauses cross all jobs; the wait before a retry lies above the lanes of its job. */
function drawMarks({ context, shown, x, colour, tops, height }: Pen, { marks }: History): void {
  for (const { at, kind, until = at, job } of marks) {
    if (until < shown.begin || at > shown.end) continue;
    const isLogin = kind === 'login' || kind === 'renewed';
    const name = isLogin ? 'bar-login' : kind === 'retry' ? 'bar-refused' : 'bar-wait';
    context.fillStyle = colour[name];
    const right = x(Math.min(until, shown.end));
    if (kind === 'retry') {
      context.fillRect(x(at), (tops[job ?? 0] ?? 0) + HEAD - 3, Math.max(2, right - x(at)), 2);
      continue;
    }
    context.fillRect(x(at), SCALE - 6, 1.5, height - SCALE + 6);
    if (until > at) context.fillRect(x(at), SCALE - 6, Math.max(2, right - x(at)), 3);
    if (kind === 'renewed' && until > at && until <= shown.end) context.fillRect(right, SCALE - 6, 1.5, 12);
  }
}

const STEPS = [
  100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000,
];

function drawScale({ context, shown: { begin, end }, x, width, height, colour }: Pen): void {
  const step = STEPS.find((each) => (end - begin) / each <= 8) ?? 14_400_000;
  for (let moment = Math.ceil(begin / step) * step; moment <= end; moment += step) {
    context.fillStyle = colour.line;
    context.fillRect(x(moment), SCALE - 8, 1, height - SCALE + 8);
    context.fillStyle = colour.faint;
    const [text, left] = [clock(moment), x(moment) + 3];
    if (left + context.measureText(text).width <= width) context.fillText(text, left, 12);
  }
}

/** @example clock(90_000) // '1:30' */
export function clock(milliseconds: number): string {
  if (milliseconds < 60_000) return `${milliseconds / 1_000} s`;
  const seconds = Math.round(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
