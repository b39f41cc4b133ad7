import { flatten } from '../../../core/json/flatten';
import { entriesOf, isList, isObject, ownValue } from '../../../core/json/keys';
import { isScalar, textOf } from '../../../core/json/text';
import type { Json, JsonObject, JsonScalar } from '../../../core/model';
import { isHeaderName, isHeaderValue } from '../../../core/url/header-text';
import type { Job, IterationConfiguration } from '../configuration';
import type { Finding, Path } from '../../codec/finding';

/**
 * Headers that HTTP cannot carry (docs/language/requests.md#headers, layers 1 to 4). Values that functions compute are
 * known, and checked, when a request is sent.
 *
 * @param http where the run has its `config.http` from
 */
export function headerFaults({ api, settings, attributes }: IterationConfiguration, http: Path): readonly Finding[] {
  const known = flatten(attributes);
  const inLayer = (headers: JsonObject, path: Path): readonly Finding[] =>
    entriesOf(headers).flatMap(([name, value]) =>
      complaints(name, value, known).map((message) => ({ path: [...path, nameOf(name)], message })),
    );
  const inJob = ({ headers, path, children }: Job): readonly Finding[] => [
    ...inLayer(headers, [...keysOfPath(path), 'headers']),
    ...children.flatMap(inJob),
  ];
  return [
    ...inLayer(api.http.headers, ['api', 'http', 'headers']),
    ...inLayer(api.http.defaultHeaders, ['api', 'http', 'defaultOptions', 'headers']),
    ...inLayer(settings.headers, [...http, 'headers']),
    ...settings.jobs.flatMap(inJob),
  ];
}

/** Where a whole header stands in the place of its name, its value may be a secret: the path shows the name alone. */
const nameOf = (written: string): string => written.replace(/[:=\s].*$/s, '…');

/** Messages never show the value: it may be a credential. */
function complaints(name: string, value: Json, known: ReadonlyMap<string, JsonScalar>): readonly string[] {
  if (!isHeaderName(name)) return ['a header cannot have this name: it is made of letters, digits and hyphens'];
  const lines = isList(value) ? value : [value];
  if (lines.every((line) => isHeaderValue(knownText(line, known)))) return [];
  return ['the value holds a character that HTTP does not allow: look for line breaks and letters beyond Latin-1'];
}

/** The string of a literal or of a reference to an attribute; of what is not known yet, none. */
function knownText(value: Json, known: ReadonlyMap<string, JsonScalar>): string {
  if (isScalar(value)) return textOf(value);
  const name = isObject(value) ? ownValue(value, 'attr') : undefined;
  return typeof name === 'string' ? textOf(known.get(name) ?? null) : '';
}

/** `config.jobs[0]` → `config`, `jobs`, `0`. */
const keysOfPath = (path: string): Path => path.split(/[.[\]]+/).filter((key) => key !== '');
