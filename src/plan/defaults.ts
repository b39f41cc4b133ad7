import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { ApiHttp } from '../language/configuration/configuration';
import type { Scope } from '../language/expressions/expression';
import { compileHeaders } from './jobs/call-headers';
import { compileDefaultParams } from './default-params';
import type { Defaults } from './jobs/surroundings';
import { validation } from '../language/codec/checked';
import type { Checked } from '../language/codec/checked';

/** Compiles `api.http.defaultOptions` (docs/language/requests.md#default-parameters, docs/extensions/functions.md). */
export const planDefaults = (http: ApiHttp, scope: Scope): Checked<Defaults> =>
  pipe(
    Ap.sequenceS(validation)({
      headers: compileHeaders(http.defaultHeaders, 'api.http.defaultOptions.headers', scope, 'no'),
      params: compileDefaultParams(http.defaultParams, scope),
    }),
    E.map(({ headers, params }) => ({ params, headers: (times) => headers({ times, bindings: new Map() }) })),
  );

/** Placeholders for defaults that could not be compiled, so that the faults of jobs are found as well. */
export const NO_DEFAULTS: Defaults = {
  headers: () => ({ texts: {}, secrets: [] }),
  params: () => ({ all: {}, open: {}, secrets: [] }),
};
