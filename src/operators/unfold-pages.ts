import { concat, defer, EMPTY, expand, filter, ignoreElements, map, of, queueScheduler, subscribeOn, take } from 'rxjs';
import type { Observable } from 'rxjs';

interface Output<Out> {
  readonly emit: Out;
}
interface Following<Step> {
  readonly next: Step;
}

/** What a visit says: an output of the loop, or, as its last word, the step to visit next. */
export type Visit<Step, Out> = Output<Out> | Following<Step>;

/** How {@link unfoldPages} is held back. */
export interface UnfoldOptions {
  /** Asked before each visit, the first included; the visit waits for its first emission or its completion. */
  readonly gate?: () => Observable<unknown>;
}

const open = (): Observable<never> => EMPTY;
const isOutput = <Step, Out>(word: Visit<Step, Out>): word is Output<Out> => !('next' in word);

/** Holds `next` back until the visit has completed and has cleaned up after itself, so that visits never overlap. */
const nextAtTheEnd = <Step, Out>(visit$: Observable<Visit<Step, Out>>): Observable<Visit<Step, Out>> =>
  defer(() => {
    let following: Observable<Following<Step>> = EMPTY;
    const outputs$ = visit$.pipe(
      filter((word) => {
        if (isOutput(word)) return true;
        following = of(word);
        return false;
      }),
    );
    return concat(
      outputs$,
      defer(() => following),
    );
  });

/**
 * The page loop: visits a step, emits what the visit finds, and goes on to the step that the visit names, until a visit
 * names none.
 *
 * ```text
 * visit(1)       --a--b--(2|)         'a' is {emit: 'a'}, '2' is {next: 2}
 * visit(2)               --c--|
 * unfoldPages    --a--b----c--|
 * ```
 *
 * Visits run one after the other, and outputs pass at once, in order. Nothing is kept of a visit that is over, so the
 * loop may be endless. Unsubscribing unsubscribes from the visit under way, and no other begins.
 *
 * @param first The step to begin with.
 * @param visit Visits a step: emits any number of `{emit}` and then at most one `{next}`.
 * @param options `gate` holds the loop back (back-pressure); it is open unless given.
 * @returns A cold Observable of outputs; it errors with the error of a visit, of the gate, or of a callback that throws.
 * @example
 * ```ts
 * import { of } from 'rxjs';
 * import { unfoldPages } from 'headwater/operators';
 *
 * const pages = [['ant', 'bee'], ['cat'], ['dog', 'eel']];
 * unfoldPages(0, (page) =>
 *   page + 1 < pages.length ? of({ emit: pages[page] }, { next: page + 1 }) : of({ emit: pages[page] }),
 * ).subscribe((items) => console.log(items?.join(' ')));
 * // → ant bee
 * // → cat
 * // → dog eel
 * ```
 */
export function unfoldPages<Step, Out>(
  first: Step,
  visit: (step: Step) => Observable<Visit<Step, Out>>,
  { gate = open }: UnfoldOptions = {},
): Observable<Out> {
  // A visit that answers synchronously would start the next one inside itself, and `expand` would overflow the stack
  // within 1,000 steps. The queue scheduler is a trampoline: a visit that starts inside another waits for that one to
  // return. It adds no timer and no turn: outside such nesting the visit starts at once, in the same order, and
  // unsubscribing takes a waiting visit out of the queue. (The scheduler that `expand` itself accepts would not do: it
  // serves only values held back by a limit of concurrency, and such a limit delays the outputs of a visit to its end.)
  const visitWhenOpen = (step: Step): Observable<Visit<Step, Out>> =>
    concat(
      defer(gate).pipe(take(1), ignoreElements()),
      defer(() => visit(step)),
    ).pipe(nextAtTheEnd, subscribeOn(queueScheduler));

  return visitWhenOpen(first).pipe(
    expand((word) => (isOutput(word) ? EMPTY : visitWhenOpen(word.next))),
    filter(isOutput),
    map(({ emit }) => emit),
  );
}
