/** A step is any value but `undefined` and `null`, which APIs give for "there is no further page". */
// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- a union would make a first step of 1 the type 1
export type AnyStep = NonNullable<unknown>;

/**
 * What a visit of `unfoldPages` says, made by {@link more}, {@link last}, {@link emit} and {@link thenVisit}. A visit that ends without
 * having named a step ends the loop.
 */
export type Visit<Step extends AnyStep, Out> =
  | { readonly kind: 'emit'; readonly value: Out }
  | { readonly kind: 'thenVisit'; readonly step: Step }
  | { readonly kind: 'more'; readonly value: Out; readonly step: Step }
  | { readonly kind: 'last'; readonly value: Out };

/**
 * An output, and the step to visit next: a page that names another.
 *
 * @param value The output.
 * @param step The next step; `undefined` and `null` are no step.
 * @throws TypeError when there is no step.
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

/** An output after which the loop ends: the last page. A step that is named all the same is an error. */
export const last = <Out>(value: Out): Visit<never, Out> => ({ kind: 'last', value });

/** One output of several. */
export const emit = <Out>(value: Out): Visit<never, Out> => ({ kind: 'emit', value });

/**
 * The step to visit next, where the outputs have been emitted before.
 *
 * @param step The next step; `undefined` and `null` are no step.
 * @throws TypeError when there is no step.
 */
export const thenVisit = <Step extends AnyStep>(step: Step): Visit<Step, never> => ({
  kind: 'thenVisit',
  step: checkedStep(step, 'thenVisit(step)'),
});

/** The compiler refuses it as well; a loop without a step would begin anew, and for ever. */
function checkedStep<Step extends AnyStep>(step: Step, made: string): Step {
  const given: unknown = step;
  if (given === undefined || given === null)
    throw new TypeError(
      `unfoldPages: ${made} has ${String(given)} for its step. The last page is last(value), or a visit that names no step.`,
    );
  return step;
}

/** For words that the compiler has not seen: who wrote them would miss rows, or would never see an end. */
export function faultOf(word: unknown, isOver: boolean): TypeError | undefined {
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
