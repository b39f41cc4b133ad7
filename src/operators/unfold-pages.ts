import { Observable, expand, ignoreElements } from 'rxjs';
import type { ObservableInput } from 'rxjs';
import { InnerSubscription, whenOpen } from './subscription';
import type { Whole } from './subscription';

/** A step is any value except `undefined` and `null`, which APIs return if there is no further page. */
// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- a union would make a first step of 1 the type 1
export type AnyStep = NonNullable<unknown>;

/**
 * A notification of a visit to `unfoldPages`, created by {@link more}, {@link last}, {@link emit} or {@link thenVisit}.
 * A visit that ends without naming a step ends the loop.
 */
export type Visit<Step extends AnyStep, Out> =
  | { readonly kind: 'emit'; readonly value: Out }
  | { readonly kind: 'thenVisit'; readonly step: Step }
  | { readonly kind: 'more'; readonly value: Out; readonly step: Step }
  | { readonly kind: 'last'; readonly value: Out };

/**
 * Returns an output and the step to visit next, for a page that names another.
 *
 * @param value The output.
 * @param step The next step; `undefined` and `null` are not steps.
 * @throws TypeError if there is no step.
 * @example
 * ```ts
 * import { of } from 'rxjs';
 * import { last, more, unfoldPages } from 'headwater/operators';
 *
 * const visit = (page: number) => of(page < 2 ? more(`page ${page}`, page + 1) : last(`page ${page}`));
 * unfoldPages(1, visit).subscribe((page) => console.log(page));
 * // → page 1
 * // → page 2
 * ```
 */
export const more = <Step extends AnyStep, Out>(value: Out, step: Step): Visit<Step, Out> => ({
  kind: 'more',
  value,
  step: checkedStep(step, 'more(value, step)'),
});

/** Returns an output after which the loop ends, for the last page. Naming a step after it is an error. */
export const last = <Out>(value: Out): Visit<never, Out> => ({ kind: 'last', value });

/** Returns one output of several. */
export const emit = <Out>(value: Out): Visit<never, Out> => ({ kind: 'emit', value });

/**
 * Returns the step to visit next, after the outputs have been emitted.
 *
 * @param step The next step; `undefined` and `null` are not steps.
 * @throws TypeError if there is no step.
 */
export const thenVisit = <Step extends AnyStep>(step: Step): Visit<Step, never> => ({
  kind: 'thenVisit',
  step: checkedStep(step, 'thenVisit(step)'),
});

/** Throws if there is no step. The compiler refuses that, too; a loop without a step would restart forever. */
function checkedStep<Step extends AnyStep>(step: Step, made: string): Step {
  const given: unknown = step;
  if (given === undefined || given === null)
    throw new TypeError(
      `unfoldPages: ${made} has ${String(given)} for its step. The last page is last(value), or a visit that names no step.`,
    );
  return step;
}

/**
 * Returns the error for a notification that the compiler has not checked: it would lose rows, or cause an endless loop.
 */
function faultOf(word: unknown, isOver: boolean): TypeError | undefined {
  if (isOver) return new TypeError('unfoldPages: a visit goes on after last(value), or names two steps.');
  const isWord = typeof word === 'object' && word !== null && 'kind' in word && KINDS.has(word.kind);
  if (!isWord)
    return new TypeError(
      `unfoldPages: a visit says more(value, step), last(value), emit(value) or thenVisit(step), not ${shown(word)}.`,
    );
  const hasStep = !('step' in word) || (word.step !== undefined && word.step !== null);
  return hasStep ? undefined : new TypeError(`unfoldPages: ${String(word.kind)} has no step.`);
}

const KINDS = new Set<unknown>(['emit', 'thenVisit', 'more', 'last']);

const shown = (word: unknown): string =>
  typeof word === 'object' && word !== null
    ? `an object with ${Object.keys(word).join(', ') || 'nothing'}`
    : String(word);

/** Options of {@link unfoldPages}. */
export interface UnfoldOptions {
  /**
   * Is called before each visit, the first included; the visit waits for the first emission or the completion of the
   * gate.
   */
  readonly gate?: () => ObservableInput<unknown>;
}

/**
 * Runs the page loop: visits a step, emits the outputs of the visit, and continues with the step that the visit names,
 * until a visit names none.
 *
 * ```text
 * visit(1)       --a--b--(2|)         'a' is emit('a'), '2' is thenVisit(2)
 * visit(2)               --c--|       'c' is last('c')
 * unfoldPages    --a--b----c--|
 * ```
 *
 * Visits run one after the other, and outputs pass at once, in order. Nothing is kept of an ended visit, so the loop
 * may be endless; synchronous visits do not nest. Unsubscribing unsubscribes from the running visit, and no other starts.
 *
 * Related: `expand` of RxJS, on which it is based, and `unfold` of functional languages. `expand` emits its steps and
 * overflows the stack if they come synchronously; `generate` has no asynchronous steps.
 *
 * @param first The first step; `undefined` if there is none yet, such as a cursor.
 * @param visit Visits a step: emits `more(value, step)` or `last(value)`; or `emit(value)` any number of times, and
 *   then `thenVisit(step)` unless the loop ends. A step is neither `undefined` nor `null`.
 * @param options `gate` holds the loop back (back-pressure); it is open by default.
 * @returns A cold Observable of outputs; it errors with the error of a visit, of the gate, or of a callback that
 *   throws, and with a TypeError if a visit emits anything else, no step, or two.
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
  visit: (step: Step) => ObservableInput<Visit<Step, Out>>,
  options?: UnfoldOptions,
): Observable<Out>;
/** Runs the page loop for a first page without a cursor. */
export function unfoldPages<Step extends AnyStep, Out>(
  first: undefined,
  visit: (step: Step | undefined) => ObservableInput<Visit<Step, Out>>,
  options?: UnfoldOptions,
): Observable<Out>;
export function unfoldPages<Step extends AnyStep, Out>(
  first: Step,
  visit: (step: Step) => ObservableInput<Visit<Step, Out>>,
  options: UnfoldOptions = {},
): Observable<Out> {
  return unfoldVisits<Step, Out>(first, (step, visiting) => visiting.follow(() => visit(step)), options);
}

/** Receives the notifications of one visit. */
export type Visitor<Step extends AnyStep, Out> = InnerSubscription<Visit<Step, Out>>;

/** Does the same as {@link unfoldPages} for visits that are functions, which notify a visitor: each is one stream less. */
export function unfoldVisits<Step extends AnyStep, Out>(
  first: Step,
  visit: (step: Step, visiting: Visitor<Step, Out>) => void,
  { gate }: UnfoldOptions,
): Observable<Out> {
  return new Observable((outputs) => {
    /** Visits a step, and names the one that follows when the visit has ended, so that visits never overlap. */
    const begin = (step: Step, whole: Whole, ended: (next: Following<Step>) => void): void => {
      let following: Following<Step>;
      let isOver = false;
      const onNext = (word: Visit<Step, Out>, visiting: Visitor<Step, Out>): void => {
        const fault = faultOf(word, isOver);
        if (fault !== undefined) {
          visiting.error(fault);
          return;
        }
        isOver = word.kind !== 'emit';
        if (word.kind === 'thenVisit' || word.kind === 'more') following = { step: word.step };
        if (word.kind !== 'thenVisit') outputs.next(word.value);
      };
      const begun = (): void => {
        const visiting: Visitor<Step, Out> = new InnerSubscription(whole, {
          next: onNext,
          ended: () => ended(following),
        });
        visiting.run(() => visit(step, visiting));
      };
      if (gate === undefined) begun();
      else whenOpen(gate, whole, begun);
    };

    // A visit that answers synchronously would start the next one inside itself, and `expand` would overflow the stack
    // within 1,000 steps, so that one starts when the call that started its predecessor has returned. (The scheduler
    // that `expand` itself accepts would not do: it serves only values held back by a limit of concurrency, and such a
    // limit delays the outputs of a visit to its end.)
    let due: (() => void) | undefined;
    let isStarting = false;
    const startUnnested = (start: () => void): void => {
      due = start;
      if (isStarting) return;
      isStarting = true;
      while (due !== undefined) {
        const next = due;
        due = undefined;
        next();
      }
      isStarting = false;
    };
    const visitUnnested = (step: Step): Observable<Step> =>
      new Observable((steps) =>
        startUnnested(() =>
          begin(step, steps, (next) => {
            if (next !== undefined) steps.next(next.step);
            steps.complete();
          }),
        ),
      );

    // Only steps pass through `expand`: it would subscribe to an empty stream for each output that passed through it. It begins with the second
    // visit: most calls of an API have one page.
    startUnnested(() =>
      begin(first, outputs, (next) => {
        if (next === undefined) outputs.complete();
        else visitUnnested(next.step).pipe(expand(visitUnnested), ignoreElements()).subscribe(outputs);
      }),
    );
  });
}

type Following<Step> = { readonly step: Step } | undefined;
