/** The middleware that an application puts around requests, isolated from the engine. */
import { isUint8Array } from 'node:util/types';
import { catchError, defer, map, tap, throwError, throwIfEmpty } from 'rxjs';
import type { Middleware, Request, Response, Send } from '../core/model';
import { PartError, errorOfPart } from '../language/parts/errors';
import type { PartName } from '../language/parts/errors';
import type { MiddlewareDefinition } from '../language/parts/middleware';

/**
 * Joins the middleware of an application around requests, or around attempts: the first one is the outermost.
 *
 * An error that is not a `HeadwaterError` is a defect of the middleware that throws it, and is reported under its
 * name; so is a middleware that emits no response, or a second one. Errors of the engine pass unchanged.
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
  /** Errors from further inside, which are not those of this middleware. */
  const others = new WeakSet<object>();
  const note = (error: unknown): void => {
    if (isObject(error)) others.add(error);
  };
  const part: PartName = { kind: 'middleware', name };
  const defect = (what: string): Error => new PartError(part, 'middleware', `middleware(…) ${what}`);
  const inner: Send = (request) => defer(() => send(request)).pipe(tap({ error: note }));
  let outer: Send | undefined;
  const ask = (request: Request): ReturnType<Send> => (outer ??= middleware(inner))(request);
  return (request) =>
    // This converts the observable of another copy of RxJS.
    defer(() => ask(request)).pipe(
      map((response: unknown, index) => {
        if (!isResponse(response)) throw defect('gave something that is no response: expected one as `send` gives it.');
        if (index > 0) throw defect('gave a second response to one request: expected one.');
        return response;
      }),
      throwIfEmpty(() => defect('gave no response: expected that of `send`, or one of its own.')),
      catchError((error: unknown) => {
        const isOfOther = isObject(error) && others.has(error);
        return throwError(() => (isOfOther ? error : errorOfPart(part, 'middleware', error)));
      }),
    );
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Checks the response at run time, because middleware may be written in JavaScript: the headers of `fetch`, for
 * example, have no member for each name.
 */
const isResponse = (value: unknown): value is Response =>
  isObject(value) &&
  Number.isInteger(Reflect.get(value, 'status')) &&
  Object.prototype.toString.call(Reflect.get(value, 'headers')) === '[object Object]' &&
  isObject(Reflect.get(value, 'request')) &&
  isUint8Array(Reflect.get(value, 'body'));
