import * as Ap from 'fp-ts/Apply';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Authentication } from '../config/configuration';
import type { Scope } from '../expressions/expression';
import { flatten } from '../json/flatten';
import { parseJson } from '../json/parse';
import { textOf } from '../json/text';
import type { JsonScalar } from '../model';
import { queryPairs } from '../url/query';
import { compileAdded } from './added-values';
import type { Attempt, Oauth20Plan, PlannedAuthentication } from './authentication-plan';
import { headerTexts } from './headers';
import { validation } from './validation';
import type { Checked } from './validation';

type Oauth20 = Extract<Authentication, { type: 'oauth20' }>;
type Names = ReadonlyMap<string, JsonScalar>;

const PATH = 'api.authentication';
/** Stands for the moment of an attempt while the names are checked. */
const NO_ATTEMPT: Attempt = { nonce: '', timestamp: 0 };

/** Compiles the headers and query values of `oauth20` (language 4.7). */
export function planOauth20(oauth: Oauth20, { functions }: Scope): Checked<PlannedAuthentication<Oauth20Plan>> {
  const data = dataOf(oauth);
  const authorization = (attempt: Attempt): Names =>
    new Map([...data, ['clientId', oauth.credentials.appKey], ...Object.entries(attempt)]);
  const names = authorization(NO_ATTEMPT);
  return pipe(
    Ap.sequenceS(validation)({
      headers: compileAdded(oauth.headers, `${PATH}.headers`, 'authorization', names, functions),
      query: compileAdded(oauth.query, `${PATH}.query`, 'authorization', names, functions),
    }),
    E.map(({ headers, query }) => ({
      plan: {
        type: 'oauth20',
        values: (request, attempt) => {
          const contexts = { ...request, authorization: authorization(attempt) };
          const added = { headers: headers(contexts), query: query(contexts) };
          return {
            headers: headerTexts(added.headers.values),
            query: queryPairs(added.query.values),
            secrets: [...added.headers.secrets, ...added.query.secrets],
          };
        },
      },
      secrets: [...data.values()].map(textOf),
    })),
  );
}

/** `data`, or `data.<path>` for each field of the JSON; the decoder has read that once already. */
const dataOf = ({ format, credentials: { data } }: Oauth20): Names =>
  flatten(format === 'json' ? parseJson(data) : data, 'data');
