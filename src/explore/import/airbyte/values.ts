/** The values of templates in manifests: constants, texts with placeholders, and templates that a run evaluates. */
import { entriesOf, isList, isObject, objectFrom, ownValue } from '../../../core/json/objects';
import { isScalar } from '../../../core/json/scalars';
import type { Json, JsonObject } from '../../../core/model';
import { JinjaError, JinjaSyntaxError, isJinja, jinjaOf } from '../../../language/jinja/jinja';
import type { Jinja } from '../../../language/jinja/jinja';
import { together } from './manifest';
import type { Component } from './manifest';

/** A construct of a manifest that cannot be said in a configuration. */
export class Untranslatable extends Error {
  /** The construct, in a few words, such as `JwtAuthenticator`. */
  readonly construct: string;
  constructor(construct: string, detail = '') {
    const named = construct === '' ? 'a part without a type' : construct;
    super(detail === '' ? named : `${named}: ${detail}`);
    this.construct = named;
  }
}

/** The names of the values of a slice. */
const SLICE = ['stream_slice', 'stream_partition', 'stream_interval'] as const;

const usesSlice = ({ names }: Jinja): boolean => SLICE.some((name) => names.has(name));

/** Returns the text of a scalar as Python writes it. */
export const textOfScalar = (value: Json): string => {
  if (value === true) return 'True';
  if (value === false) return 'False';
  return value === null ? 'None' : isScalar(value) ? String(value) : JSON.stringify(value);
};

/** How templates of one stream are evaluated. */
export class Values {
  constructor(
    readonly config: JsonObject,
    readonly now: number,
    /** The values of the slice of the job: placeholders in braces, by name. */
    readonly slice: JsonObject = {},
    /** Schemas of files beside the manifest. */
    readonly schemas: ReadonlyMap<string, Json> = new Map(),
  ) {}

  withSlice(more: JsonObject): Values {
    return new Values(this.config, this.now, together(this.slice, more), this.schemas);
  }

  private template(source: string): Jinja {
    try {
      return jinjaOf(source);
    } catch (error) {
      if (error instanceof JinjaSyntaxError) throw new Untranslatable('Jinja', `${error.message}, in ${source}`);
      throw error;
    }
  }

  private attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof JinjaError) throw new Untranslatable('Jinja', error.message);
      throw error;
    }
  }

  private variables(component: Component, slice: JsonObject = this.slice): JsonObject {
    const parameters = ownValue(component, '$parameters') ?? {};
    return { config: this.config, parameters, ...Object.fromEntries(SLICE.map((name) => [name, slice])) };
  }

  /** Returns a value of the config and parameters alone; `instead` where it is empty or undefined. */
  constant(written: Json | undefined, component: Component, instead?: Json): Json {
    if (written === undefined) return instead ?? null;
    if (typeof written !== 'string') return written;
    const jinja = this.template(written);
    if (usesSlice(jinja)) throw new Untranslatable('Jinja with a slice where none is', written);
    return this.attempt(() => jinja.evaluate(this.variables(component), this.now, instead));
  }

  /** Does the same as {@link constant}, as text. */
  text(written: Json | undefined, component: Component): string {
    const value = this.constant(written, component);
    return value === null ? '' : textOfScalar(value);
  }

  /** Returns whether a template depends on the page that is requested. */
  isOfPage(written: Json): boolean {
    return typeof written === 'string' && isJinja(written) && this.template(written).names.has('next_page_token');
  }

  /**
   * Returns a text with placeholders of the slice in braces; `undefined` if the template does something else with them
   * than to write them down.
   */
  private passed(jinja: Jinja, component: Component): string | undefined {
    const render = (slice: JsonObject): string | null =>
      this.attempt(() => jinja.text(this.variables(component, slice), this.now));
    try {
      const text = render(this.slice);
      const other = render(marked(this.slice));
      return text !== null && other === markedText(text, this.slice) ? text : undefined;
    } catch (error) {
      if (error instanceof Untranslatable) return undefined;
      throw error;
    }
  }

  /** Returns an endpoint, in which values of the slice are placeholders. */
  endpoint(written: Json | undefined, component: Component): string {
    if (typeof written !== 'string') return '';
    const jinja = this.template(written);
    if (!usesSlice(jinja)) return this.text(written, component);
    const passed = this.passed(jinja, component);
    if (passed === undefined) throw new Untranslatable('an expression of a slice in a path', written);
    return passed;
  }

  /** Returns a parameter: a text, a list of texts, or a template; `null` to leave it out. */
  parameter(written: Json, component: Component): Json {
    if (typeof written !== 'string') return isScalar(written) && written !== null ? textOfScalar(written) : written;
    const jinja = this.template(written);
    if (usesSlice(jinja)) return this.passed(jinja, component) ?? this.atRun(written, component, 'text');
    const value = this.attempt(() => jinja.evaluate(this.variables(component), this.now, null));
    if (typeof value === 'string' || isList(value)) return value;
    return this.attempt(() => jinja.text(this.variables(component), this.now));
  }

  /** Returns a member of a JSON body, with all members of it; members without a value are left out. */
  body(written: Json, component: Component): Json {
    if (isList(written)) return written.map((each) => this.body(each, component));
    if (isObject(written))
      return objectFrom(
        entriesOf(written).flatMap(([key, value]): (readonly [string, Json])[] => {
          if (key === '$parameters') return [];
          const made = this.body(value, component);
          return made === null ? [] : [[this.text(key, component), made]];
        }),
      );
    if (typeof written !== 'string') return written;
    if (usesSlice(this.template(written))) return this.atRun(written, component, 'value');
    return this.constant(written, component, null);
  }

  /** Returns a template that a run evaluates, with the values that it reads. */
  atRun(written: string, component: Component, as: 'value' | 'text', own: readonly string[] = []): JsonObject {
    const jinja = this.template(written);
    const known = this.variables(component);
    const given = [...jinja.names].filter((name) => !own.includes(name));
    const missing = given.find((name) => !Object.hasOwn(known, name));
    if (missing !== undefined) throw new Untranslatable(`Jinja with ${missing}`, written);
    return {
      jinja: written,
      ...(given.length === 0
        ? {}
        : { with: objectFrom(given.map((name) => [name, this.given(name, known, written)])) }),
      ...(as === 'text' ? { as } : {}),
    };
  }

  /** Returns the values that a template reads by a name: those whose names occur in it, or all if none does. */
  given(name: string, known: JsonObject, written: string): Json {
    const value = known[name] ?? null;
    if (name === 'parameters' || !isObject(value)) return value;
    const named = entriesOf(value).filter(([key]) => written.includes(key));
    return name !== 'config' && named.length === 0 ? value : objectFrom(named);
  }

  /** Returns all that templates of a component may read, for parts that have several templates. */
  known(component: Component, ...templates: readonly string[]): JsonObject {
    const names = new Set(templates.flatMap((written) => [...this.template(written).names]));
    const known = this.variables(component);
    const all = templates.join('\n');
    return objectFrom(
      Object.keys(known)
        .filter((name) => names.has(name))
        .map((name) => [name, this.given(name, known, all)]),
    );
  }
}

const MARK = '\u{f8ff}';

/** Returns a slice with other texts in place of its placeholders. */
const marked = (slice: JsonObject): JsonObject =>
  objectFrom(
    entriesOf(slice).map(([name, value]) => {
      if (isObject(value)) return [name, marked(value)] as const;
      return [name, typeof value === 'string' ? value.replace(/[{}]/g, MARK) : value] as const;
    }),
  );

function placeholdersIn(slice: JsonObject): readonly string[] {
  return entriesOf(slice).flatMap(([, value]) =>
    isObject(value) ? placeholdersIn(value) : typeof value === 'string' && /^\{.*\}$/.test(value) ? [value] : [],
  );
}

const markedText = (text: string, slice: JsonObject): string =>
  placeholdersIn(slice).reduce((made, each) => made.replaceAll(each, each.replace(/[{}]/g, MARK)), text);
