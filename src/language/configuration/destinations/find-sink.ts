/** Finds the sink that an address names, and the settings in its query (docs/sinks.md#settings). */
import { didYouMean } from '../../expressions/nearest';
import type { Json } from '../../../core/model';
import { Secrets } from '../../../core/secrets/secrets';
import type { SinkAddress, SinkOutline } from '../../parts/sink';

/** An address that was read. */
export interface FoundSink<S> {
  readonly sink: S;
  /** The address without its settings. */
  readonly address: SinkAddress;
  /** The settings that its query has: a string each, or several. */
  readonly settings: ReadonlyMap<string, Json>;
}

/** True for sinks whose addresses are URLs of servers: these may have parameters of their own. */
export const isServer = ({ address }: Pick<SinkOutline, 'address'>): boolean =>
  address.some((form) => /^[\w+.-]+:\/\//.test(form));

/**
 * Finds the sink of an address. The first sink that has the scheme is taken.
 *
 * @returns `fault`: what is wrong with the address, for people and without secrets
 * @example findSink('parquet:out?nested=json', [parquet]) // { sink: parquet, address: { url: 'parquet:out', rest: 'out' }, settings: Map { 'nested' => 'json' } }
 */
export function findSink<S extends SinkOutline>(
  text: string,
  sinks: readonly S[],
): FoundSink<S> | { readonly fault: string } {
  const [, scheme = '', written = ''] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.+)$/s.exec(text) ?? [];
  const sink = sinks.find(({ schemes }) => schemes.includes(scheme));
  if (sink === undefined || (isServer(sink) && !written.startsWith('//')))
    return { fault: unknown(text, sink === undefined ? scheme : '', sinks) };
  const { rest, settings } = splitQuery(written, sink);
  return { sink, address: { url: `${scheme}:${rest}`, rest }, settings };
}

interface Split {
  readonly rest: string;
  readonly settings: ReadonlyMap<string, Json>;
}

/**
 * Of a server, parameters that the sink does not declare stay in the URL. Of a file or a folder, all that follows the last `?`
 * are settings.
 */
function splitQuery(written: string, { options, ...sink }: SinkOutline): Split {
  const whole = { rest: written, settings: new Map<string, Json>() };
  if (options === undefined) return whole;
  if (!isServer(sink)) {
    const at = written.lastIndexOf('?');
    return at < 0 ? whole : { rest: written.slice(0, at), settings: settingsIn(written.slice(at + 1).split('&')) };
  }
  const at = written.indexOf('?');
  // A password with a `?` that is not encoded is left to the sink, which refuses it.
  if (at < 0 || /[@#]/.test(written.slice(at))) return whole;
  const isOwn = (part: string): boolean => Object.hasOwn(options, nameIn(part));
  const parts = written.slice(at + 1).split('&');
  const own = parts.filter(isOwn);
  if (own.length === 0) return whole;
  const others = parts.filter((part) => !isOwn(part)).join('&');
  return { rest: `${written.slice(0, at)}${others === '' ? '' : `?${others}`}`, settings: settingsIn(own) };
}

const nameIn = (part: string): string => new URLSearchParams(part).keys().next().value ?? '';

/** A name that comes several times has several values. */
function settingsIn(parts: readonly string[]): ReadonlyMap<string, Json> {
  const query = new URLSearchParams(parts.join('&'));
  return new Map(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

/** Describes a URL that names no destination, without what could be a password in it. */
function unknown(url: string, scheme: string, known: readonly SinkOutline[]): string {
  const bare = url.includes('@') ? url.replace(/^(\w*:?(\/\/)?).*@/s, '$1***@') : url;
  const shown = JSON.stringify(new Secrets().mask(bare));
  const forms = known.flatMap(({ address }) => address);
  const list = [forms.slice(0, -1).join(', '), ...forms.slice(-1)].filter((part) => part !== '').join(' or ');
  const schemes = known.flatMap((sink) => sink.schemes);
  const meant = scheme === '' ? '' : likely(scheme, schemes);
  return `A destination should be ${list}; found ${shown}.${meant}`;
}

/** The scheme that was likely meant, as a sentence; nothing where none is near. */
const likely = (scheme: string, schemes: readonly string[]): string => {
  const hint = didYouMean(scheme, schemes);
  return hint.startsWith(' Known') ? '' : hint;
};
