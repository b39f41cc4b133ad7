import { expand, ignoreElements, Observable, queueScheduler } from 'rxjs';
import type { Subscriber } from 'rxjs';
import { Leg } from './leg';

/** What a visit says: an output of the loop, or, as its last word, the step to visit next. */
export type Visit<Step, Out> = { readonly emit: Out } | { readonly next: Step };

/** How {@link unfoldPages} is held back. */
export interface UnfoldOptions {
  /** Is asked before each visit, the first included; the visit waits for its first emission or its completion. */
  readonly gate?: () => Observable<unknown>;
}

const isOutput = <Step, Out>(word: Visit<Step, Out>): word is { readonly emit: Out } => !('next' in word);

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
 * Relatives: `expand` of RxJS, which it is made of, and `unfold` of functional languages. `expand` emits its steps and
 * overflows the stack when they come synchronously; `generate` takes no asynchronous step.
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
  { gate }: UnfoldOptions = {},
): Observable<Out> {
  return new Observable((outputs) => {
    const begin = (step: Step, steps: Subscriber<Step>): void => {
      let following: { readonly next: Step } | undefined;
      const hear = (word: Visit<Step, Out>): void => {
        if (isOutput(word)) outputs.next(word.emit);
        else following = word;
      };
      // The step is held back until the visit is over, so that visits never overlap.
      const goOn = (): void => {
        if (following !== undefined) steps.next(following.next);
        steps.complete();
      };
      const begun = (): void => new Leg(steps, { next: hear, ended: goOn }).follow(() => visit(step));
      if (gate === undefined) begun();
      else new Leg<unknown>(steps, { next: (_, asking) => asking.complete(), ended: begun }).follow(gate);
    };

    // A visit that answers synchronously would start the next one inside itself, and `expand` would overflow the stack
    // within 1,000 steps. The queue scheduler is a trampoline: a visit that starts inside another waits for that one to
    // return. It adds no timer and no turn: outside such nesting the visit starts at once, in the same order, and
    // unsubscribing takes a waiting visit out of the queue. (The scheduler that `expand` itself accepts would not do: it
    // serves only values held back by a limit of concurrency, and such a limit delays the outputs of a visit to its end.)
    const visitWhenOpen = (step: Step): Observable<Step> =>
      new Observable((steps) => queueScheduler.schedule(() => begin(step, steps)));

    // Only steps go round the loop: `expand` would subscribe to an empty stream for each output that passed through it.
    visitWhenOpen(first).pipe(expand(visitWhenOpen), ignoreElements()).subscribe(outputs);
  });
}
