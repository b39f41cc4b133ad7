/**
 * Reads the worked examples of a page of the manual. Fences, in this order: `json configuration`, optionally
 * `json options`, one `http` an exchange, then what comes out: `json items`, `csv TABLE`, `error`, `text log`. Or
 * `json expression`, optionally `json config`, then `json value`. A piece of a configuration is `json fragment PATH`.
 */
import { parseJson } from '../../src';
import type { Json, JsonObject } from '../../src';
import type { Example, Exchange } from './run-example';

/** A fence of a page: what stands behind the three marks, and the lines between. */
export interface Fence {
  readonly info: string;
  readonly text: string;
  /** The number of the line where it begins, from 1. */
  readonly line: number;
  /** The heading above it. */
  readonly heading: string;
}

export interface Fragment {
  /** Where it stands in a configuration: `api.pagination`, `config.jobs[0]`. */
  readonly path: string;
  readonly value: Json;
}

/** What a page shows: examples by the place where they begin, fragments, and fences that are neither. */
export interface PageExamples {
  readonly examples: readonly (readonly [string, Example])[];
  readonly fragments: readonly (readonly [string, Fragment])[];
  readonly strays: readonly string[];
}

/** All fences of a Markdown text. */
export function fencesOf(markdown: string): readonly Fence[] {
  const fences: Fence[] = [];
  let heading = '';
  let open: { info: string; line: number; lines: string[] } | undefined;
  markdown.split('\n').forEach((text, at) => {
    const info = /^```(.*)$/.exec(text)?.[1];
    if (info === undefined && open === undefined) heading = /^#+ (.*)$/.exec(text)?.[1] ?? heading;
    else if (open === undefined) open = { info: (info ?? '').trim(), line: at + 1, lines: [] };
    else if (info === undefined) open.lines.push(text);
    else {
      fences.push({ info: open.info, text: open.lines.join('\n'), line: open.line, heading });
      open = undefined;
    }
  });
  return fences;
}

const STATUS = /^(?:HTTP\/[\d.]+ )?([1-5]\d\d)(?: [A-Z][A-Za-z -]*)?$/;

/** An `http` fence: request line, headers and body; then status, headers and body of the response. */
export function exchangeOf(text: string): Exchange {
  const lines = text.split('\n');
  const at = lines.findIndex((line, index) => index > 1 && lines[index - 1] === '' && STATUS.test(line));
  if (at < 0) throw new Error(`an exchange needs a blank line and a status after its request:\n${text}`);
  const request = part(lines.slice(1, at - 1));
  const response = part(lines.slice(at + 1));
  return {
    request: lines[0] ?? '',
    requestHeaders: request.headers,
    ...(request.body === '' ? {} : { requestBody: request.body }),
    status: Number(STATUS.exec(lines[at] ?? '')?.[1]),
    headers: response.headers,
    response: response.body,
  };
}

function part(lines: readonly string[]): { readonly headers: Record<string, string>; readonly body: string } {
  const blank = lines.indexOf('');
  const head = blank < 0 ? lines : lines.slice(0, blank);
  const headers = head.map((line) => {
    const [, name, value] = /^([!#-'*+.^-~\w-]+): ?(.*)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`no header: ${line}`);
    return [name, value];
  });
  return {
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: blank < 0 ? '' : lines.slice(blank + 1).join('\n'),
  };
}

type Draft = { -readonly [K in keyof Example]: Example[K] };

/** Everything on a page that can be run. */
export function examplesOf(page: string, markdown: string): PageExamples {
  const examples: [string, Draft][] = [];
  const fragments: [string, Fragment][] = [];
  const strays: string[] = [];
  const current = (): Draft => {
    const last = examples.at(-1);
    if (last === undefined) throw new Error(`${page}: an example begins with "json configuration"`);
    return last[1];
  };
  for (const fence of fencesOf(markdown)) {
    const place = `${page}:${fence.line} ${fence.heading}`;
    const [language = '', kind = '', more = ''] = fence.info.split(' ');
    const json = (): Json => {
      try {
        return parseJson(fence.text);
      } catch (error) {
        throw new Error(`${place}: ${String(error)}`);
      }
    };
    switch (language === 'json' || language === 'text' ? `${language} ${kind}` : language) {
      case 'json configuration':
        examples.push([place, { config: json() as JsonObject, exchanges: [] }]);
        break;
      case 'json expression':
        examples.push([place, ofExpression(json())]);
        break;
      case 'json config':
        current().config = withAttributes(current().config, json() as JsonObject);
        break;
      case 'json value':
        current().exchanges = [{ request: 'POST /', requestBody: { value: json() }, response: [] }];
        break;
      case 'json options':
        current().options = json() as NonNullable<Example['options']>;
        break;
      case 'json items':
        current().items = json() as readonly Json[];
        break;
      case 'json fragment':
        fragments.push([place, { path: more, value: json() }]);
        break;
      case 'http':
        current().exchanges = [...current().exchanges, exchangeOf(fence.text)];
        break;
      case 'csv':
        current().tables = { ...current().tables, [kind]: fence.text };
        break;
      case 'error':
        current().error = errorOf(fence.text);
        break;
      case 'text log':
        current().log = fence.text.split('\n');
        break;
      default:
        if (language === 'json') strays.push(`${place}: a fence of JSON that nothing runs`);
    }
  }
  const empty = examples.filter(([, { exchanges, error }]) => exchanges.length === 0 && error === undefined);
  return { examples, fragments, strays: [...strays, ...empty.map(([place]) => `${place}: nothing comes of it`)] };
}

function errorOf(text: string): NonNullable<Example['error']> {
  const [code = '', ...parts] = text.split('\n');
  return { code, parts: [parts.join('\n')] };
}

/** An expression is a parameter of a POST, whose body shows its value with its type. */
const ofExpression = (value: Json): Draft => ({
  config: {
    api: { baseUrl: 'https://api.example' },
    config: { jobs: [{ endpoint: '/', method: 'POST', params: { value }, functionsInLists: true }] },
  },
  exchanges: [],
});

const withAttributes = (config: JsonObject, attributes: JsonObject): JsonObject => ({
  ...config,
  config: { ...attributes, ...(config as { config: JsonObject }).config },
});

/** The smallest configuration with a fragment in its place. */
export function around({ path, value }: Fragment): JsonObject {
  const root = { api: { baseUrl: 'https://api.example' }, config: { jobs: [{ endpoint: 'items' }] } };
  if (path === 'root') return merged(root, value) as JsonObject;
  const steps = [...path.matchAll(/[^.[\]]+/g)].map(([step]) => (/^\d+$/.test(step) ? Number(step) : step));
  const laid = steps.reduceRight<Json>(
    (inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }),
    value,
  );
  return merged(root, laid) as JsonObject;
}

function merged(under: Json, over: Json): Json {
  if (Array.isArray(under) && Array.isArray(over))
    return over.map((value, at) => merged((under as Json[])[at] ?? null, value as Json));
  const isPlain = (value: Json): value is JsonObject =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isPlain(under) || !isPlain(over)) return over;
  const both = { ...under, ...over } as Record<string, Json>;
  for (const [key, value] of Object.entries(over as Record<string, Json>)) {
    const below = (under as Record<string, Json>)[key];
    if (below !== undefined) both[key] = merged(below, value);
  }
  return both;
}
