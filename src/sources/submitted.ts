import type { Observable } from 'rxjs';
import { FatalError } from '../core/errors/errors';
import type { RunEvent } from '../core/events';
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../core/json/objects';
import { isScalar, textOf } from '../core/json/scalars';
import type { Checkpoint, Json, JsonObject, Response } from '../core/model';
import { NoAddress, resolveReference } from '../core/url/address';
import type { RuleCondition } from '../language/configuration/api/rules';
import type { AnsweredRequestPlan } from '../plan/plan';
import type { PlaceholderBindings } from './call';

/** The state of a call of an asynchronous job before its first page (docs/language/asynchronous-jobs.md). */
export interface Submitted {
  /** The values from the response to the submission, for checkpoints: strings by names such as `submit.id`. */
  readonly kept: JsonObject;
  /** The placeholders of the call, with the values from the responses. */
  readonly bindings: PlaceholderBindings;
  /** True if an earlier part of the run submitted it, so that the result may no longer exist. */
  readonly isOld: boolean;
  /** Submits again and returns all pages of the call. */
  readonly again: (because: string) => Observable<RunEvent>;
}

/** The position of an asynchronous job: what was submitted, and the position in its pages, once there is one. */
export interface SubmittedPosition {
  readonly kept: JsonObject;
  readonly next?: Json;
}

/** Returns the number of pages before those of the result: the one that records the submission. */
export const pagesBefore = ({ submitted }: { readonly submitted?: Submitted }): number =>
  submitted === undefined ? 0 : 1;

/** Returns the position of a checkpoint: the position of the pages, wrapped with what was submitted. */
export const positionWith = (submitted: Pick<Submitted, 'kept'> | undefined, next: Json): Json =>
  submitted === undefined ? next : { submitted: submitted.kept, next };

/** Returns the position that {@link positionWith} has made. */
export function submittedPosition({ position }: Checkpoint): SubmittedPosition | undefined {
  if (position === undefined || !isObject(position)) return undefined;
  const kept = ownValue(position, 'submitted');
  if (kept === undefined || !isObject(kept)) return undefined;
  const next = ownValue(position, 'next');
  return { kept, ...(next === undefined ? {} : { next }) };
}

/** Returns placeholders with the values from responses; these add no columns. */
export const withTexts = (bindings: PlaceholderBindings, texts: JsonObject): PlaceholderBindings =>
  new Map([
    ...bindings,
    ...entriesOf(texts).map(([name, text]) => [name, { text: isScalar(text) ? textOf(text) : '' }] as const),
  ]);

/**
 * Returns the values that are taken from a response, by the names of their placeholders.
 *
 * @param warn is called with the elements of an array of addresses that are not used
 * @throws FatalError API_SHAPE when one is not there, or is no address where one is needed
 */
export const textsOf = (
  { path, values }: AnsweredRequestPlan,
  response: Response,
  answers: Pick<Answers, 'valueAt' | 'shown'>,
  warn: (message: string) => void,
): JsonObject =>
  objectFrom(
    values.map(({ name, place, isAddress }) => {
      const at = `${path}.values.${name.slice(name.indexOf('.') + 1)}`;
      const value =
        'path' in place ? answers.valueAt(response, place.path) : [response.headers[place.header] ?? []].flat()[0];
      if (value === undefined || value === null || value === '' || !isScalar(value)) {
        const where = 'path' in place ? `at "${place.path}"` : `in the header ${place.header}`;
        const message = `${at}: the answer has no string or number ${where}: ${answers.shown(response)}`;
        throw new FatalError('API_SHAPE', message);
      }
      const others = isAddress && 'path' in place ? othersBeside(place.path, response, answers) : 0;
      if (others > 0)
        warn(
          `${at}: the answer has ${others + 1} addresses there, and one is fetched: if each is a part of the result, let the result be ` +
            'this answer, with its addresses as items, and fetch each of them by a child job.',
        );
      return [name, isAddress ? addressOf(textOf(value), response, at) : textOf(value)];
    }),
  );

/** Returns how many more elements an array has when a path takes one of them. */
function othersBeside(path: string, response: Response, { valueAt }: Pick<Answers, 'valueAt'>): number {
  const list = /^(.+)\.\d+$/.exec(path)?.[1];
  const found = list === undefined ? undefined : valueAt(response, list);
  return isList(found) ? found.length - 1 : 0;
}

/** Returns an address, resolved as browsers do: relative to the requested one. */
function addressOf(text: string, { request }: Response, at: string): string {
  try {
    return resolveReference(text, request.url);
  } catch (error) {
    if (!(error instanceof NoAddress)) throw error;
    throw new FatalError('API_SHAPE', `${at}: what the API gave is no http or https address: ${error.message}.`);
  }
}

/** Reads responses that are no pages (docs/language/asynchronous-jobs.md). */
export interface Answers {
  readonly meets: (when: RuleCondition, response: Response) => boolean;
  /** @throws HeadwaterError for a status of failure */
  readonly requireSuccess: (response: Response) => void;
  /** The value at a path of the body. */
  readonly valueAt: (response: Response, path: string) => Json | undefined;
  /** Returns the milliseconds that a response asks to wait, if it does. */
  readonly requestedDelay: (response: Response) => number | undefined;
  /** Returns the response as messages show it. */
  readonly shown: (response: Response) => string;
}
