import { collect, mapValid, type Checked } from '../../language/codec/checked';
import type { JsonObject, JsonScalar } from '../../core/model';
import { headerTexts } from '../../language/requests/headers';
import { queryPairs } from '../../core/url/query';
import { compileCredentialValues, type CredentialValues } from '../credential-values';
import type { Attempt } from '../attempt';
import type { Scope } from '../../language/expressions/expression';
import type { RequestContexts } from '../request-contexts';

type Names = ReadonlyMap<string, JsonScalar>;

const PATH = 'api.authentication';
/** Stands for the moment of an attempt while the names are checked. */
const NO_ATTEMPT: Attempt = { nonce: '', timestamp: 0 };

/** What `oauth20` adds to a request in one attempt to send it; it throws FatalError EXPRESSION_FAILED. */
type ValuesOf = (request: RequestContexts, attempt: Attempt) => CredentialValues;

/**
 * Compiles the headers and query values of `oauth20` (docs/language/authentication/oauth20.md).
 *
 * @param data what `data`, and `data.<path>`, of the context `authorization` stand for
 */
export function compileOauth20(
  written: { readonly headers: JsonObject; readonly query: JsonObject },
  data: Names,
  clientId: string,
  scope: Omit<Scope, 'known'>,
): Checked<ValuesOf> {
  const authorization = (attempt: Attempt): Names =>
    new Map([...data, ['clientId', clientId], ...Object.entries(attempt)]);
  const names = authorization(NO_ATTEMPT);
  const compiled = collect({
    headers: compileCredentialValues(written.headers, `${PATH}.headers`, 'authorization', names, scope),
    query: compileCredentialValues(written.query, `${PATH}.query`, 'authorization', names, scope),
  });
  return mapValid(compiled, ({ headers, query }) => (request, attempt) => {
    const contexts = { ...request, authorization: authorization(attempt) };
    const added = { headers: headers(contexts), query: query(contexts) };
    return {
      headers: headerTexts(added.headers.values),
      query: queryPairs(added.query.values),
      secrets: [...added.headers.secrets, ...added.query.secrets],
    };
  });
}
