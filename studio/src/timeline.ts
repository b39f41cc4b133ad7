/** Draws requests as bars, by job and lane, on a canvas. */
import { MOST_LANES } from './history';
import type { History } from './history';

const LANE = 7;
const HEAD = 18;
const GAP = 10;
const SHOWN_MILLISECONDS = 60_000;

/** @param canvas gets the height that the lanes need */
export function drawTimeline(canvas: HTMLCanvasElement, { told, bars, marks, lanes }: History): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const ratio = devicePixelRatio;
  const { width } = canvas.getBoundingClientRect();
  const tops: number[] = [];
  const height = told.jobs.reduce((top, _, job) => {
    tops[job] = top;
    return top + HEAD + (lanes[job] ?? 1) * LANE + GAP;
  }, 24);
  canvas.style.height = `${Math.max(height, 72)}px`;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(Math.max(height, 72) * ratio);
  context.scale(ratio, ratio);
  const end = Math.max(told.at, 1_000);
  const begin = Math.max(0, end - SHOWN_MILLISECONDS);
  const x = (moment: number): number => ((moment - begin) / (end - begin)) * width;
  context.font = '12px system-ui, sans-serif';
  drawScale(context, begin, end, x, height, colour);
  for (const [job, lane, from, to, fate, waited] of bars) {
    if (to < begin) continue;
    const y = (tops[job] ?? 0) + HEAD + Math.min(lane, MOST_LANES - 1) * LANE;
    if (waited > 0) {
      context.fillStyle = colour('--bar-wait');
      context.fillRect(x(from - waited), y + 1, Math.max(1, x(from) - x(from - waited)), LANE - 4);
    }
    context.fillStyle = colour(`--bar-${fate}`);
    context.fillRect(x(from), y, Math.max(1, x(to) - x(from) - 0.5), LANE - 2);
  }
  for (const { at, kind } of marks) {
    if (at < begin) continue;
    context.fillStyle = colour(
      kind === 'login' || kind === 'renewed' ? '--bar-login' : kind === 'retry' ? '--bar-refused' : '--bar-wait',
    );
    context.fillRect(x(at), 18, 1.5, height - 18);
  }
  told.jobs.forEach(({ name }, job) => {
    context.fillStyle = colour('--text');
    context.fillText(name, 2, (tops[job] ?? 0) + 12);
  });
}

function drawScale(
  context: CanvasRenderingContext2D,
  begin: number,
  end: number,
  x: (moment: number) => number,
  height: number,
  colour: (name: string) => string,
): void {
  const step = [200, 500, 1_000, 2_000, 5_000, 10_000].find((each) => (end - begin) / each <= 8) ?? 20_000;
  for (let moment = Math.ceil(begin / step) * step; moment <= end; moment += step) {
    context.fillStyle = colour('--line');
    context.fillRect(x(moment), 16, 1, height - 16);
    context.fillStyle = colour('--faint');
    context.fillText(`${moment / 1_000} s`, x(moment) + 3, 12);
  }
}
