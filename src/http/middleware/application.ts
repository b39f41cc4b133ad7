/** The middleware that an application adds to the request pipeline, kept apart from that of the pipeline itself. */
import { isUint8Array } from 'node:util/types';
import { catchError, defer, map, tap, throwError, throwIfEmpty } from 'rxjs';
import { HeadwaterError } from '../../core/errors/errors';
import type { Middleware, Request, Response, Send } from '../../core/model';
import type { MiddlewareDefinition } from '../../language/parts/middleware';

/**
 * Joins the middleware of an application around requests, or around attempts: the first one is the outermost.
 *
 * What a middleware throws that is no {@link HeadwaterError} is a defect of that middleware, and its error bears its name;
 * so is one that gives no response, or a second one. What the pipeline itself throws passes through as it is.
 *
 * @example applicationMiddleware([timing], 'attempt')(send)(request)
 */
export function applicationMiddleware(
  definitions: readonly MiddlewareDefinition[],
  around: MiddlewareDefinition['around'],
): Middleware {
  const chosen = definitions.filter((definition) => definition.around === around);
  return (send) => chosen.reduceRight((inner, definition) => checked(definition, inner), send);
}

function checked({ name, middleware }: MiddlewareDefinition, send: Send): Send {
  /** The errors that say themselves what is at fault: those from further inside, and defects that are told already. */
  const told = new WeakSet<object>();
  const note = (error: unknown): void => {
    if (isObject(error)) told.add(error);
  };
  const defect = (what: string, cause?: unknown): Error => {
    const error = new Error(`The middleware "${name}" ${what}`, cause === undefined ? {} : { cause });
    told.add(error);
    return error;
  };
  const inner: Send = (request) => defer(() => send(request)).pipe(tap({ error: note }));
  let outer: Send | undefined;
  const ask = (request: Request): ReturnType<Send> => (outer ??= middleware(inner))(request);
  return (request) =>
    // The observable of another copy of RxJS becomes one of this copy.
    defer(() => ask(request)).pipe(
      map((response: unknown, index) => {
        if (!isResponse(response)) throw defect('gave something that is no response: expected one as `send` gives it.');
        if (index > 0) throw defect('gave a second response to one request: expected one.');
        return response;
      }),
      throwIfEmpty(() => defect('gave no response: expected that of `send`, or one of its own.')),
      catchError((error: unknown) => {
        const isTold = error instanceof HeadwaterError || (isObject(error) && told.has(error));
        return throwError(() => (isTold ? error : defect(`failed: ${reasonOf(error)}`, error)));
      }),
    );
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Checks at run time what the type says, since middleware may be written in JavaScript: headers of `fetch`, say, have no
 * member for each name.
 */
const isResponse = (value: unknown): value is Response =>
  isObject(value) &&
  Number.isInteger(Reflect.get(value, 'status')) &&
  Object.prototype.toString.call(Reflect.get(value, 'headers')) === '[object Object]' &&
  isObject(Reflect.get(value, 'request')) &&
  isUint8Array(Reflect.get(value, 'body'));
