/** Jobs with `"method": "graphql"` (docs/language/graphql.md). */
import * as t from 'io-ts';
import { isBlank } from '../../../core/json/scalars';
import { entriesOf, ownValue } from '../../../core/json/objects';
import { jsonPathOf } from '../../../core/json/path';
import type { Json, JsonObject } from '../../../core/model';
import { placeOfItems, type PlaceOfItems } from '../../requests/graphql/place-of-items';
import { readDocument, type Operation } from '../../requests/graphql/operation';
import type { GraphqlRequest } from '../../requests/graphql/place-of-items';
import { below, codec, refuse, withSchema, type Codec, type Input } from '../../codec/codec';
import type { Finding, Path } from '../../codec/finding';
import type { Method } from '../../codec/values';
import { anything, asObject, oneOfAnyCase, oneOrList, string, valueOf } from '../../codec/primitives';
import { always } from '../../codec/record';
import { ignored, mistaken } from '../../codec/unknown-key';
import { EXPRESSION, tolerant } from '../../codec/schema';
import { didYouMean } from '../../codec/finding';
import { METHODS } from '../../codec/values';
import type { Job } from '../configuration';

const GRAPHQL = 'graphql';
const KEYS = ['query', 'variables', 'operationName'] as const;
/** The usual endpoint of GraphQL APIs. */
const ENDPOINT = 'graphql';

/** `method` of a job, in any case. */
export const jobMethod = oneOfAnyCase('JobMethod', [...METHODS, GRAPHQL]);

const lines: Codec<readonly string[]> = oneOrList(string);

/** The keys of GraphQL jobs. Without `"method": "graphql"` they have no effect, like any other unknown keys. */
export const graphqlFields = {
  query: always(
    withSchema(anything, () => tolerant(lines.schema(), {})),
    {
      about: 'GraphQL: the document, or an array of its lines.',
      example: '{ ships { id } }',
    },
  ),
  variables: always(
    withSchema(anything, () => tolerant({ type: 'object', additionalProperties: EXPRESSION }, {})),
    {
      about: 'GraphQL: the variables.',
      example: { first: 100, since: { time: 'previousStart' } },
    },
  ),
  operationName: always(
    withSchema(anything, () => tolerant({ type: 'string' }, {})),
    {
      about: 'GraphQL: the operation of a document with several.',
      example: 'Ships',
    },
  ),
};

interface Written extends Pick<Job, 'params' | 'dataField'> {
  readonly endpoint?: string;
  readonly method?: Method | typeof GRAPHQL;
  readonly body?: Job['body'];
  readonly dataType?: string;
  readonly incremental?: Job['incremental'];
  readonly stream?: Job['stream'];
  readonly query: Input;
  readonly variables: Input;
  readonly operationName: Input;
}

type Read<J extends Written> = Omit<J, 'endpoint' | 'method' | 'query' | 'variables' | 'operationName'> & {
  readonly endpoint: string;
  readonly method?: Method;
  readonly graphql?: GraphqlRequest;
};

const isGraphql = (job: Input): boolean => {
  const method = valueOf(job, 'method');
  return typeof method === 'string' && method.toLowerCase() === GRAPHQL;
};

const NO_DOCUMENT = 'required: the GraphQL document, a string or an array of its lines';

/** Returns a codec that reports a missing document before other faults of the job. */
export const requiringDocument = <A>(fields: Codec<A>): Codec<A> =>
  codec(
    fields.name,
    fields.schema,
    (input, context) => {
      const query = valueOf(input, 'query');
      return isGraphql(input) && isBlank(query)
        ? refuse(query, below(context, 'query', query), NO_DOCUMENT)
        : fields.validate(input, context);
    },
    fields.notes,
  );

/** Returns a job with the method `graphql` as one with a document, and any other job as it is. */
export function withGraphql<J extends Written>(job: J, context: t.Context, input: Input): t.Validation<Read<J>> {
  const { query, variables, operationName, method, endpoint, ...others } = job;
  const at = (key: string, message: string): t.Validation<never> =>
    refuse(valueOf(input, key), below(context, key, valueOf(input, key)), message);
  if (method !== GRAPHQL) {
    if (endpoint === undefined) return at('endpoint', 'required: the path or URL that the job requests');
    return t.success({ ...others, endpoint, ...(method === undefined ? {} : { method }) });
  }
  for (const [key, instead] of [
    ['params', 'the parameters of a GraphQL request are its variables: write them as "variables"'],
    ['body', 'the body of a GraphQL request is made of "query" and "variables": write these'],
    [
      'stream',
      'a GraphQL response is read as a whole, since it may hold errors: leave it out, and let pagination divide it',
    ],
  ] as const)
    if (!isBlank(valueOf(input, key))) return at(key, `cannot stand beside the method graphql: ${instead}`);
  const document = lines.validate(query, []);
  if (document._tag === 'Left' || document.right.length === 0) return at('query', NO_DOCUMENT);
  const text = document.right.join('\n');
  const read = readDocument(text);
  if (read.kind === 'broken') return at('query', `is no GraphQL document: ${read.because}`);
  const chosen = chooseOperation(read.operations, operationName);
  if ('message' in chosen) return at(chosen.key, chosen.message);
  const { operation } = chosen;
  const values = isBlank(variables) ? {} : asObject(variables);
  if (values === undefined) return at('variables', 'expected an object: the values of the variables by their names');
  const unknown = unknownVariable(operation, values);
  if (unknown !== undefined)
    return refuse(
      unknown.value,
      below(below(context, 'variables', variables), unknown.name, unknown.value),
      notAVariable(unknown.name, operation.variables),
    );
  const { incremental, dataField } = job;
  if (incremental?.param !== undefined && !operation.variables.includes(incremental.param))
    return refuse(
      incremental.param,
      below(below(context, 'incremental', null), 'param', incremental.param),
      notAVariable(incremental.param, operation.variables),
    );
  if (dataField === undefined)
    return at('dataField', 'required: the path of the items or of their connection, for example "data.ships"');
  const found = placeOf(operation, dataField);
  if (typeof found === 'string') return at('dataField', found);
  const { path, edges, connection, unpaged } = found;
  return t.success({
    ...others,
    endpoint: endpoint ?? ENDPOINT,
    method: 'POST' as const,
    params: values,
    dataField: { path: path.join(dataField.delimiter), delimiter: dataField.delimiter },
    dataType: job.dataType ?? nameOf(path) ?? endpoint ?? ENDPOINT,
    graphql: {
      document: text,
      variables: operation.variables,
      types: operation.types,
      ...(unpaged === undefined ? {} : { unpaged }),
      ...(read.operations.length > 1 && operation.name !== undefined ? { operationName: operation.name } : {}),
      ...(edges === undefined ? {} : { edges }),
      ...(connection === undefined ? {} : { connection }),
    },
  });
}

/** Returns the message about a value for a name that is not a variable. */
export const notAVariable = (name: string, variables: readonly string[]): string =>
  variables.length === 0
    ? `$${name} is no variable that the query declares and uses: the API would ignore its value. Declare it, and pass it as an argument`
    : `$${name} is no variable that the query declares and uses, which are ${variables.map((each) => `$${each}`).join(', ')}: the API would ignore its value${didYouMean(name, variables)}`;

type Chosen = { readonly operation: Operation } | { readonly key: 'query' | 'operationName'; readonly message: string };

function chooseOperation(operations: readonly Operation[], wanted: Input): Chosen {
  const [first] = operations;
  const names = first?.names ?? [];
  const named = isBlank(wanted) ? undefined : typeof wanted === 'string' ? wanted : '';
  const operation = named === undefined ? first : operations.find(({ name }) => name === named);
  const several = `the query has the operations ${names.join(', ')}`;
  if (named === undefined && operations.length > 1)
    return { key: 'operationName', message: `required: ${several}, and one of them has to be meant` };
  if (operation === undefined)
    return { key: 'operationName', message: `is no operation of the query${didYouMean(named ?? '', names)}` };
  if (operation.type === 'subscription')
    return { key: 'query', message: 'is a subscription, which has no response: a job needs a query' };
  const [unused] = operation.unused;
  return unused === undefined
    ? { operation }
    : { key: 'query', message: `declares the variable $${unused}, and uses it nowhere: pass it as an argument` };
}

function unknownVariable({ variables }: Operation, values: JsonObject): { name: string; value: Json } | undefined {
  const [found] = entriesOf(values).filter(([name]) => !variables.includes(name));
  return found === undefined ? undefined : { name: found[0], value: found[1] };
}

/** Finds the items by the path. A path that does not consist of keys is used as it is. */
function placeOf(operation: Operation, { path, delimiter }: NonNullable<Job['dataField']>): PlaceOfItems | string {
  if (jsonPathOf(path, delimiter) !== undefined) return { path: [path] };
  const found = placeOfItems(operation, path.split(delimiter));
  return found.kind === 'place' ? found.place : found.because;
}

/** Returns a name for the items: `data.viewer.repositories.nodes` has repositories. */
const nameOf = (path: readonly string[]): string | undefined =>
  path.length === 1
    ? undefined
    : path.findLast((key) => key !== 'nodes' && key !== 'edges' && key !== 'data' && !/^-?\d+$/.test(key));

/** Warns of GraphQL keys in a job without the method. */
export const graphqlNotes = (job: Input, path: Path): readonly Finding[] =>
  isGraphql(job)
    ? []
    : KEYS.filter((key) => ownValue(asObject(job) ?? {}, key) !== undefined).map((key) => ({
        path: [...path, key],
        ...(key === 'query'
          ? mistaken(
              'has no effect here; parameters of a job are written as "params", and a GraphQL document needs "method": "graphql"',
            )
          : ignored('has no effect without "method": "graphql"')),
      }));
