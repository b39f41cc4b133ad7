import { expand, ignoreElements, Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';
import { Leg } from './inner-subscription';
import { inTurn } from './trampoline';
import { faultOf } from './visit';
import type { AnyStep, Visit } from './visit';

/** How {@link unfoldPages} is held back. */
export interface UnfoldOptions {
  /** Is asked before each visit, the first included; the visit waits for its first emission or its completion. */
  readonly gate?: () => Observable<unknown>;
}

/**
 * The page loop: visits a step, emits what the visit finds, and goes on to the step that the visit names, until a visit
 * names none.
 *
 * ```text
 * visit(1)       --a--b--(2|)         'a' is emit('a'), '2' is thenVisit(2)
 * visit(2)               --c--|       'c' is last('c')
 * unfoldPages    --a--b----c--|
 * ```
 *
 * Visits run one after the other, and outputs pass at once, in order. Nothing is kept of a visit that is over, so the
 * loop may be endless. Unsubscribing unsubscribes from the visit under way, and no other begins.
 *
 * Relatives: `expand` of RxJS, which it is made of, and `unfold` of functional languages. `expand` emits its steps and
 * overflows the stack when they come synchronously; `generate` takes no asynchronous step.
 *
 * @param first The step to begin with; `undefined` where there is none yet, such as a cursor.
 * @param visit Visits a step: says `more(value, step)` or `last(value)`; or `emit(value)` any number of times, and then
 * `thenVisit(step)` unless the loop is over. A step is neither `undefined` nor `null`.
 * @param options `gate` holds the loop back (back-pressure); it is open unless given.
 * @returns A cold Observable of outputs; it errors with the error of a visit, of the gate, or of a callback that throws, and with a
 * TypeError when a visit says anything else, no step, or two.
 * @example
 * ```ts
 * import { of } from 'rxjs';
 * import { last, more, unfoldPages } from 'headwater/operators';
 *
 * const pages = [['ant', 'bee'], ['cat'], ['dog', 'eel']];
 * unfoldPages(0, (page) =>
 *   of(page + 1 < pages.length ? more(pages[page], page + 1) : last(pages[page])),
 * ).subscribe((items) => console.log(items?.join(' ')));
 * // → ant bee
 * // → cat
 * // → dog eel
 * ```
 */
export function unfoldPages<Step extends AnyStep, Out>(
  first: Step,
  visit: (step: Step) => Observable<Visit<Step, Out>>,
  options?: UnfoldOptions,
): Observable<Out>;
/** A loop whose first page has no cursor yet. */
export function unfoldPages<Step extends AnyStep, Out>(
  first: undefined,
  visit: (step: Step | undefined) => Observable<Visit<Step, Out>>,
  options?: UnfoldOptions,
): Observable<Out>;
export function unfoldPages<Step extends AnyStep, Out>(
  first: Step,
  visit: (step: Step) => Observable<Visit<Step, Out>>,
  { gate }: UnfoldOptions = {},
): Observable<Out> {
  return new Observable((outputs) => {
    const begin = (step: Step, steps: Subscriber<Step>): void => {
      let following: { readonly step: Step } | undefined;
      let isOver = false;
      const hear = (word: Visit<Step, Out>, visiting: Leg<Visit<Step, Out>>): void => {
        const fault = faultOf(word, isOver);
        if (fault !== undefined) {
          visiting.error(fault);
          return;
        }
        isOver = word.kind !== 'emit';
        if (word.kind === 'thenVisit' || word.kind === 'more') following = { step: word.step };
        if (word.kind !== 'thenVisit') outputs.next(word.value);
      };
      // The step is held back until the visit is over, so that visits never overlap.
      const ended = (): void => {
        if (following !== undefined) steps.next(following.step);
        steps.complete();
      };
      const begun = (): void => new Leg(steps, { next: hear, ended }).follow(() => visit(step));
      if (gate === undefined) begun();
      else new Leg<unknown>(steps, { next: (_, asking) => asking.complete(), ended: begun }).follow(gate);
    };

    // A visit that answers synchronously would start the next one inside itself, and `expand` would overflow the stack
    // within 1,000 steps: it waits for its turn. (The scheduler that `expand` itself accepts would not do: it
    // serves only values held back by a limit of concurrency, and such a limit delays the outputs of a visit to its end.)
    const visitWhenOpen = (step: Step): Observable<Step> =>
      new Observable((steps) =>
        inTurn(() => {
          if (!steps.closed) begin(step, steps);
        }),
      );

    // Only steps go round the loop: `expand` would subscribe to an empty stream for each output that passed through it.
    visitWhenOpen(first).pipe(expand(visitWhenOpen), ignoreElements()).subscribe(outputs);
  });
}
