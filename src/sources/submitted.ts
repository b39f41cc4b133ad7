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

/** What a call of an asynchronous job has been given before its first page (docs/language/asynchronous-jobs.md). */
export interface Submitted {
  /** What the answer to the submission gave, for checkpoints: texts by their names, such as `submit.id`. */
  readonly kept: JsonObject;
  /** The placeholders of the call, and what the answers gave. */
  readonly bindings: PlaceholderBindings;
  /** Whether an earlier part of the run submitted it: then it may be gone. */
  readonly isOld: boolean;
  /** All pages of the call, of a result that is submitted anew. */
  readonly again: (because: string) => Observable<RunEvent>;
}

/** Where a call of an asynchronous job stands: what was submitted, and the position in its pages, once there is one. */
export interface SubmittedPosition {
  readonly kept: JsonObject;
  readonly next?: Json;
}

/** The page that says what was submitted comes before those of the result. */
export const pagesBefore = ({ submitted }: { readonly submitted?: Submitted }): number =>
  submitted === undefined ? 0 : 1;

/** The position of a checkpoint: that of the pages, with what was submitted around it. */
export const positionWith = (submitted: Pick<Submitted, 'kept'> | undefined, next: Json): Json =>
  submitted === undefined ? next : { submitted: submitted.kept, next };

/** What {@link positionWith} has made. */
export function submittedPosition({ position }: Checkpoint): SubmittedPosition | undefined {
  if (position === undefined || !isObject(position)) return undefined;
  const kept = ownValue(position, 'submitted');
  if (kept === undefined || !isObject(kept)) return undefined;
  const next = ownValue(position, 'next');
  return { kept, ...(next === undefined ? {} : { next }) };
}

/** Placeholders, with what answers gave; it adds no columns. */
export const withTexts = (bindings: PlaceholderBindings, texts: JsonObject): PlaceholderBindings =>
  new Map([
    ...bindings,
    ...entriesOf(texts).map(([name, text]) => [name, { text: isScalar(text) ? textOf(text) : '' }] as const),
  ]);

/**
 * The values that are taken from an answer, by the names of their placeholders.
 *
 * @param warn takes what is not taken of an array of addresses
 * @throws FatalError API_SHAPE when one is not there, or is no address where one is needed
 */
export const textsOf = (
  { path, values }: AnsweredRequestPlan,
  response: Response,
  answers: Pick<Answers, 'valueAt' | 'told'>,
  warn: (message: string) => void,
): JsonObject =>
  objectFrom(
    values.map(({ name, place, isAddress }) => {
      const at = `${path}.values.${name.slice(name.indexOf('.') + 1)}`;
      const value =
        'path' in place ? answers.valueAt(response, place.path) : [response.headers[place.header] ?? []].flat()[0];
      if (value === undefined || value === null || value === '' || !isScalar(value)) {
        const where = 'path' in place ? `at "${place.path}"` : `in the header ${place.header}`;
        const message = `${at}: the answer has no string or number ${where}: ${answers.told(response)}`;
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

/** How many more elements an array has, of which a path takes one. */
function othersBeside(path: string, response: Response, { valueAt }: Pick<Answers, 'valueAt'>): number {
  const list = /^(.+)\.\d+$/.exec(path)?.[1];
  const found = list === undefined ? undefined : valueAt(response, list);
  return isList(found) ? found.length - 1 : 0;
}

/** An address is read as browsers read it: relative to the one that was asked. */
function addressOf(text: string, { request }: Response, at: string): string {
  try {
    return resolveReference(text, request.url);
  } catch (error) {
    if (!(error instanceof NoAddress)) throw error;
    throw new FatalError('API_SHAPE', `${at}: what the API gave is no http or https address: ${error.message}.`);
  }
}

/** What is asked of responses that are no pages (docs/language/asynchronous-jobs.md). */
export interface Answers {
  readonly meets: (when: RuleCondition, response: Response) => boolean;
  /** @throws HeadwaterError for a status of failure */
  readonly requireSuccess: (response: Response) => void;
  /** The value at a path of the body. */
  readonly valueAt: (response: Response, path: string) => Json | undefined;
  /** The milliseconds that a response asks to wait, if it does. */
  readonly askedPause: (response: Response) => number | undefined;
  /** The response as messages show it. */
  readonly told: (response: Response) => string;
}
