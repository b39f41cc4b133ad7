/** The configuration that a text stands for, with the parts that it extends. The page sees and writes the text alone. */
import { ConfigurationError } from '../index';
import type { Json } from '../index';
import { namesParts } from '../reading/parts';
import { readConfigurationText } from '../reading/read-configuration';
import { valueOf } from './written-text';
import type { Language } from './written-text';

/** A configuration of which the page knows one file. */
export interface Whole {
  /** What a run gets. */
  readonly config: Json;
  /** The place in the text; one of a part has the file and the line before it. */
  readonly placeOf: (path: string) => string;
  /** The error with such places. */
  readonly placed: (error: unknown) => unknown;
}

/** Where a text belongs, and how it is read. */
export interface Place {
  readonly path: string;
  readonly language: Language;
}

/**
 * Reads a text, and the parts that it names.
 *
 * @throws RefusedRequest NOT_READABLE, FatalError CONFIG_UNREADABLE
 * @example (await wholeOf('extends: ./base.yaml', { path: 'rivers.yaml', language: 'yaml' })).config
 */
export async function wholeOf(text: string, { path, language }: Place): Promise<Whole> {
  const value = valueOf(text, language);
  if (!namesParts(value)) return { config: value, placeOf: (place) => place, placed: (error) => error };
  const read = await readConfigurationText(path, text);
  const placeOf = (place: string): string => {
    const { file, path: own } = read.originOf(place);
    if (file === path) return own;
    const at = read.placeOf(place);
    return `${file}${at === undefined ? '' : `:${at.line}:${at.column}`} ${place}`;
  };
  const config = read.configuration as Json;
  return { config, placeOf, placed: (error) => (error instanceof ConfigurationError ? moved(error, placeOf) : error) };
}

const moved = ({ faults }: ConfigurationError, placeOf: (path: string) => string): ConfigurationError =>
  new ConfigurationError(faults.map((fault) => ({ ...fault, path: placeOf(fault.path) })));
