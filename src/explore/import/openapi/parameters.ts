import type { DescribedParam } from '../../detect/described';
import { isList, isObject, ownValue } from '../../../core/json/keys';
import { isScalar } from '../../../core/json/text';
import type { Json, JsonObject } from '../../../core/model';
import type { References } from './references';

/** The parameters of an operation, with those of its path; one of the operation stands for one of the path. */
export function parametersOf(
  path: JsonObject,
  operation: JsonObject,
  references: References,
): readonly DescribedParam[] {
  const all = new Map<string, DescribedParam>();
  for (const owner of [path, operation]) {
    const list = ownValue(owner, 'parameters');
    for (const each of isList(list) ? list : []) {
      const parameter = references.follow(each);
      const name = parameter === undefined ? undefined : ownValue(parameter, 'name');
      if (parameter !== undefined && typeof name === 'string' && ownValue(parameter, 'in') === 'query')
        all.set(name, described(name, parameter, references));
    }
  }
  return [...all.values()];
}

function described(name: string, parameter: JsonObject, references: References): DescribedParam {
  // Swagger 2 has the schema in the parameter itself.
  const schema = references.follow(ownValue(parameter, 'schema')) ?? parameter;
  const fallback = ownValue(schema, 'default');
  const [minimum, maximum] = [ownValue(schema, 'minimum'), ownValue(schema, 'maximum')];
  return {
    name,
    isRequired: ownValue(parameter, 'required') === true,
    ...(fallback === undefined || !isScalar(fallback) ? {} : { fallback }),
    ...(typeof minimum === 'number' ? { minimum } : {}),
    ...(typeof maximum === 'number' ? { maximum } : {}),
  };
}

/** The schema of the response of a success, and the example that stands beside it. */
export function responseOf(
  operation: JsonObject,
  references: References,
): { readonly schema?: Json; readonly example?: Json } {
  const responses = ownValue(operation, 'responses');
  if (!isObject(responses)) return {};
  const code = ['200', '206', '2XX', '203', 'default'].find((each) => Object.hasOwn(responses, each));
  const response = references.follow(code === undefined ? undefined : ownValue(responses, code));
  if (response === undefined) return {};
  const content = ownValue(response, 'content');
  const type = isObject(content) ? Object.keys(content).find((each) => /[/+]json\b/i.test(each)) : undefined;
  const media = isObject(content) && type !== undefined ? references.follow(ownValue(content, type)) : response;
  if (media === undefined) return {};
  const schema = ownValue(media, 'schema');
  const example = ownValue(media, 'example');
  return { ...(schema === undefined ? {} : { schema }), ...(example === undefined ? {} : { example }) };
}
