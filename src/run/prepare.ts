import { didYouMean } from '../language/codec/finding';
import { attributesReadIn, referencedIn } from '../language/configuration/iterations';
import { secretsWrittenIn } from '../language/references/read';
import { ConfigurationError } from '../core/errors/errors';
import type { Fault } from '../core/errors/errors';
import { extractPrepared } from './extract';
import type { Extraction, ExtractOptions } from './extract';
import { isObject, objectFrom, entriesOf, ownValue } from '../core/json/objects';
import { notJson } from '../core/json/not-json';
import type { Json, JsonObject } from '../core/model';
import { decode, planDecoded } from './validate';
import type { ItemDecoders, NoDecoders } from './streams/decoding';
import { attributesOf, checkParameters, sampleAttributes, withoutExample } from './parameters';
import type { Attributes, Parameters, ParameterValues } from './parameters';

/** The options for preparing a configuration. */
export interface PrepareOptions<P extends Parameters, D extends ItemDecoders = NoDecoders> extends ExtractOptions<D> {
  /** The attributes of `config` that get their values at run time, with their types. */
  readonly parameters: P;
}

/** The options that may differ between runs of a prepared configuration. */
export type OptionsOfRun<D extends ItemDecoders = NoDecoders> = Omit<
  ExtractOptions<D>,
  'items' | 'components' | 'lenient'
>;

/** A configuration that is decoded and checked once, for runs with parameters. */
export interface PreparedConfiguration<P extends Parameters, D extends ItemDecoders = NoDecoders> {
  /**
   * Returns the extraction with these parameters. Nothing is decoded again, and nothing is requested before a subscription.
   *
   * @param options replace the options that the configuration was prepared with
   * @throws ConfigurationError for a parameter that is missing, unknown or of another type, at `parameters.NAME`
   */
  readonly run: (values: ParameterValues<P>, options?: OptionsOfRun<D>) => Extraction<D>;
  /**
   * Returns the configuration with these parameters, for `deliver`.
   *
   * @throws ConfigurationError as `run`
   */
  readonly configuration: (values: ParameterValues<P>) => JsonObject;
  /** Settings that have no effect, deprecated spellings. */
  readonly warnings: readonly Fault[];
}

/**
 * Decodes and checks a configuration once, for many runs with parameters: attributes of `config`, read by `{"attr": "river"}` or, in an
 * endpoint, by `{river}`, that have different values in each run.
 *
 * @param config the configuration, parsed. An attribute with the name of a parameter is only an example
 * @param options `parameters` with their types, and the options of `extract`
 * @throws ConfigurationError with every fault at once, before any request; also for a parameter that nothing reads; RangeError for
 *   options, and for an unknown type or format of a parameter
 * @example
 * const byRiver = prepare(config, { parameters: { river: 'string', since: { type: 'date', format: 'date' } } });
 * byRiver.run({ river: 'Alder', since: new Date() }).items$.subscribe((level) => console.log(level));
 */
export function prepare<const P extends Parameters, const D extends ItemDecoders = NoDecoders>(
  config: unknown,
  { parameters, ...options }: PrepareOptions<P, D>,
): PreparedConfiguration<P, D> {
  checkParameters(parameters);
  const samples = attributesIn(sampleAttributes(parameters));
  const isJson = config !== undefined && notJson(config).length === 0;
  const document = isJson ? (config as Json) : undefined;
  if (document !== undefined) refuseUnread(document, Object.keys(parameters));
  const read = decode(document === undefined ? config : withAttributes(document, samples), options);
  const planned = explained(parameters, () => planDecoded(read));
  // An example value is no secret.
  const decoded = { ...read, secrets: secretsWrittenIn(document ?? null, options) };
  // The options are checked before a run as well.
  const { warnings } = extractPrepared(planned, options as ExtractOptions<D>);
  const attributes = (values: ParameterValues<P>): JsonObject => attributesIn(attributesOf(parameters, values));
  return {
    run: (values, own = {}) => extractPrepared(planDecoded(decoded, attributes(values)), { ...options, ...own }),
    configuration: (values) => withAttributes(document ?? {}, attributes(values)),
    warnings,
  };
}

function attributesIn(found: Attributes): JsonObject {
  if (!found.ok) throw new ConfigurationError(found.faults);
  return found.attributes;
}

/** Refuses parameters that nothing reads, which are probably typing errors. */
function refuseUnread(document: Json, names: readonly string[]): void {
  const isRead = referencedIn(document);
  const message = 'is read by no {"attr": …} of the configuration, and in no endpoint';
  const faults = names
    .filter((name) => !isRead(name))
    .map((name) => ({
      path: `parameters.${name}`,
      message: `${message}${didYouMean(name, attributesReadIn(document))}`,
    }));
  if (faults.length > 0) throw new ConfigurationError(faults);
}

/** Returns the configuration with these attributes in its `config`, in the bare or the wrapped form. */
function withAttributes(document: Json, attributes: JsonObject): JsonObject {
  const root = isObject(document) ? document : {};
  const wrapped = ownValue(root, 'parameters');
  if (isObject(wrapped)) return objectFrom([...entriesOf(root), ['parameters', withAttributes(wrapped, attributes)]]);
  const config = ownValue(root, 'config');
  const given = isObject(config) ? entriesOf(config) : [];
  return objectFrom([...entriesOf(root), ['config', objectFrom([...given, ...entriesOf(attributes)])]]);
}

/** Returns the result; an error may come from the example values, which its message then explains. */
function explained<T>(parameters: Parameters, make: () => T): T {
  const made = withoutExample(parameters);
  try {
    return make();
  } catch (error) {
    if (!(error instanceof ConfigurationError) || made.length === 0) throw error;
    const message = `has no example, so that the configuration was checked with one that was made up. If that is what is wrong, declare one: { type, example }`;
    throw new ConfigurationError([...error.faults, ...made.map((name) => ({ path: `parameters.${name}`, message }))]);
  }
}
