/** The values of templates in manifests: constants, texts with placeholders, and templates that a run evaluates. */
import { entriesOf, isList, isObject, objectFrom, ownValue, together } from '../../../core/json/objects';
import { isScalar } from '../../../core/json/scalars';
import type { Json, JsonObject } from '../../../core/model';
import { JinjaError, JinjaSyntaxError, isJinja, jinjaOf } from '../../../language/jinja/jinja';
import type { Jinja } from '../../../language/jinja/jinja';
import { Untranslatable, membersOf } from './manifest';
import type { Component } from './manifest';

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
    return this.attempt(() => jinjaOf(source), source);
  }

  private attempt<T>(work: () => T, source = ''): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof JinjaSyntaxError) throw new Untranslatable('Jinja', `${error.message}, in ${source}`);
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
      return text !== null && other?.replace(MARKED, '{$1}') === text ? text : undefined;
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
        membersOf(written).flatMap(([key, value]): (readonly [string, Json])[] => {
          const made = this.body(value, component);
          return made === null ? [] : [[this.text(key, component), made]];
        }),
      );
    if (typeof written !== 'string') return written;
    if (usesSlice(this.template(written))) return this.atRun(written, component, 'value');
    return this.constant(written, component, null);
  }

  /** Returns a template that a run evaluates, with the values that it reads beside those of the run itself. */
  atRun(written: string, component: Component, as: 'value' | 'text', own: readonly string[] = []): JsonObject {
    const known = this.known(component, written);
    const missing = [...this.template(written).names].find(
      (name) => !own.includes(name) && !Object.hasOwn(known, name),
    );
    if (missing !== undefined) throw new Untranslatable(`Jinja with ${missing}`, written);
    return {
      jinja: written,
      ...(Object.keys(known).length === 0 ? {} : { with: known }),
      ...(as === 'text' ? { as } : {}),
    };
  }

  /** Returns all that templates of a component read: of an object the members whose names occur in them, or all if none does. */
  known(component: Component, ...templates: readonly string[]): JsonObject {
    const names = new Set(templates.flatMap((written) => [...this.template(written).names]));
    const given = ([name, value]: readonly [string, Json]): readonly [string, Json] => {
      if (name === 'parameters' || !isObject(value)) return [name, value];
      const named = entriesOf(value).filter(([key]) => templates.some((written) => written.includes(key)));
      return [name, name !== 'config' && named.length === 0 ? value : objectFrom(named)];
    };
    const read = entriesOf(this.variables(component)).filter(([name]) => names.has(name));
    return objectFrom(read.map(given));
  }
}

const MARK = '\u{f8ff}';
const MARKED = new RegExp(`${MARK}([^${MARK}]*)${MARK}`, 'g');

/** Returns a slice with other texts in place of its placeholders. */
const marked = (slice: JsonObject): JsonObject =>
  objectFrom(
    entriesOf(slice).map(([name, value]) => {
      if (isObject(value)) return [name, marked(value)] as const;
      return [name, typeof value === 'string' ? value.replace(/[{}]/g, MARK) : value] as const;
    }),
  );
