import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { animationFrameScheduler, auditTime, BehaviorSubject, combineLatest, fromEvent, startWith } from 'rxjs';
import type { History } from '../history';
import { history$, useValue } from '../store';
import { clock, drawTimeline } from '../timeline';
import type { Shown } from '../timeline';

const MINUTE = 60_000;
const LEAST = 1_000;

/** What is looked at: the last minute, an earlier one that ends at a moment, or all of the run. */
type Look = 'latest' | 'all' | { readonly end: number };

function shownOf(look: Look, { reported: { at } }: History): Shown {
  const end = typeof look === 'object' ? Math.min(look.end, at) : at;
  const begin = look === 'all' ? 0 : Math.max(0, end - MINUTE);
  return { begin, end: Math.max(end, begin + LEAST) };
}

/** Requests over time; a minute of them, which can be moved, or all. */
export function Picture(): JSX.Element {
  const place = useRef<HTMLCanvasElement>(null);
  const [look$] = useState(() => new BehaviorSubject<Look>('latest'));
  const history = useValue(history$);
  const look = useValue(look$);
  useEffect(() => {
    // A canvas of another size is empty.
    const resized$ = fromEvent(window, 'resize').pipe(startWith(undefined));
    const drawing = combineLatest([history$, look$, resized$])
      .pipe(auditTime(0, animationFrameScheduler))
      .subscribe(([reported, looked]) => {
        if (place.current !== null && reported !== undefined)
          drawTimeline(place.current, reported, shownOf(looked, reported));
      });
    return () => drawing.unsubscribe();
  }, []);
  return (
    <figure class="card picture">
      <canvas ref={place} role="img" aria-label="Requests over time, by job; the table below has their numbers" />
      {history === undefined || history.reported.at <= MINUTE ? null : (
        <Back history={history} look={look} choose={(next) => look$.next(next)} />
      )}
      <figcaption>
        <span class="key ok">answered</span> <span class="key refused">refused, or waits to be asked again</span>{' '}
        <span class="key failed">failed</span> <span class="key wait">waited for a limit</span>{' '}
        <span class="key held">pages held</span> <span class="key login">logged in, until it expires</span>
        {history === undefined || history.barsFrom === 0 ? null : (
          <span>
            {' '}
            · Until {clock(Math.floor(history.barsFrom / 100) * 100)}, requests are columns: the higher, the more
          </span>
        )}
      </figcaption>
    </figure>
  );
}

/** For runs of more than a minute. */
function Back({
  history,
  look,
  choose,
}: {
  readonly history: History;
  readonly look: Look;
  readonly choose: (look: Look) => void;
}): JSX.Element {
  const { begin, end } = shownOf(look, history);
  const { at } = history.reported;
  return (
    <div class="back" role="group" aria-label="What is shown">
      <button class="choice" aria-pressed={look === 'latest'} onClick={() => choose('latest')}>
        Last minute
      </button>
      <button class="choice" aria-pressed={look === 'all'} onClick={() => choose('all')}>
        Whole run
      </button>
      <label>
        <span class="hidden">Look back</span>
        <input
          type="range"
          min={MINUTE}
          max={Math.ceil(at)}
          step={1_000}
          value={end}
          aria-valuetext={`From ${spoken(begin)} to ${spoken(end)}`}
          onInput={({ currentTarget: { value } }) =>
            choose(Number(value) >= at - 1_000 ? 'latest' : { end: Number(value) })
          }
        />
      </label>
    </div>
  );
}

const spoken = (moment: number): string => clock(Math.round(moment / 1_000) * 1_000);
