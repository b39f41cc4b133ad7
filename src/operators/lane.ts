import { concat, defer, ignoreElements, of, Subject, take, tap } from 'rxjs';
import type { Observable, Subscriber } from 'rxjs';
import { inContextOfSubscriber } from './context';
import type { WindowGate } from './window-gate';

/** What the lanes of one `mergeInOrder` have in common. */
export interface LaneOptions<R> {
  /** Values that a lane which is not at the front may hold, unless it asks with another number. */
  readonly ahead: number;
  /** The outer gate. */
  readonly gate: WindowGate;
  /** Tells whether gates count a value. */
  readonly counts: (value: R) => boolean;
  readonly ordered: boolean;
  /** Is called when values have passed that had to wait for the outer gate. */
  readonly released: () => void;
}

const OPEN = of(undefined);

/** One inner stream of `mergeInOrder`, from its start until all of its values have been emitted. */
export class Lane<R> {
  /** True when all lanes before it are over: its values may pass. */
  isFront = false;
  ended = false;
  failure?: { readonly error: unknown };
  readonly #held: R[] = [];
  /** How many of the held values count. */
  #counted = 0;
  /** How often the outer gate has let it pass for a value that has not come yet. */
  #passes = 0;
  /** The number that it last asked its gate with. */
  #places: number | undefined;
  /** True while the outer gate is asked for the first held value. */
  #isAsking = false;
  /** Emits when the lane holds less, and when its turn has come. */
  readonly #freed$ = new Subject<void>();

  constructor(
    private readonly subscriber: Subscriber<R>,
    private readonly options: LaneOptions<R>,
  ) {}

  get holds(): boolean {
    return this.#held.length > 0;
  }

  /**
   * The gate that its stream asks before each step: the outer gate when values pass at once, else whether it may hold
   * another.
   */
  readonly gate: WindowGate = (places) => defer(() => this.#gate(places));

  #gate(places: number | undefined): Observable<unknown> {
    const { gate, ordered } = this.options;
    if (!ordered) return gate(places);
    this.#places = places;
    if (this.#passesAtOnce()) return this.#passed(gate(places));
    if (this.#counted < (places ?? this.options.ahead)) return OPEN;
    return concat(this.#freed$.pipe(take(1), ignoreElements()), this.gate(places)).pipe(inContextOfSubscriber());
  }

  receive(value: R): void {
    const { counts, ordered } = this.options;
    const counted = counts(value);
    if (!ordered || (this.#passesAtOnce() && (!counted || this.#passes > 0))) {
      if (counted) this.#passes -= 1;
      this.subscriber.next(value);
      return;
    }
    this.#held.push(value);
    if (counted) this.#counted += 1;
    if (this.isFront) this.#release();
  }

  comeToFront(): void {
    this.isFront = true;
    this.#release();
    if (!this.holds) this.#freed$.next();
  }

  /** Counts the pass at the first word of the outer gate, an emission or its completion. */
  #passed(asked$: Observable<unknown>): Observable<unknown> {
    let isOpen = false;
    const open = (): void => {
      if (!isOpen) this.#passes += 1;
      isOpen = true;
    };
    return asked$.pipe(take(1), tap({ next: open, complete: open }));
  }

  #passesAtOnce(): boolean {
    return this.isFront && !this.holds;
  }

  /** Emits what it holds; each value that counts waits for the outer gate. */
  #release(): void {
    while (this.holds && !this.#isAsking && !this.subscriber.closed)
      if (!this.options.counts(this.#held[0] as R) || this.#isOpen()) this.#emitFirst();
  }

  #emitFirst(): void {
    const value = this.#held.shift() as R;
    if (this.options.counts(value)) this.#counted -= 1;
    this.subscriber.next(value);
    this.#freed$.next();
  }

  /** Asks the outer gate for the first held value. When it opens only later, that value is emitted then. */
  #isOpen(): boolean {
    let waits = false;
    this.#isAsking = true;
    const complete = (): void => {
      this.#isAsking = false;
      if (!waits) return;
      this.#emitFirst();
      this.#release();
      this.options.released();
    };
    const asked$ = defer(() => this.options.gate(this.#places)).pipe(take(1), ignoreElements());
    this.subscriber.add(asked$.subscribe({ complete, error: (error: unknown) => this.subscriber.error(error) }));
    waits = true;
    return !this.#isAsking;
  }
}
