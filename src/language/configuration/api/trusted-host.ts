import * as t from 'io-ts';
import { expected, refine, type Codec } from '../../codec/codec';
import { string } from '../../codec/primitives';
import { isAbsolute } from '../../../core/url/address';
import { parseUrl } from '../../../core/url/parse-url';

const isHost = (entry: string): boolean => {
  const url = parseUrl(isAbsolute(entry) ? entry : `http://${entry}`);
  if (url === undefined) return false;
  const { pathname, search, hash, username, password } = url;
  return `${pathname}${search}${hash}${username}${password}` === '/' && !entry.endsWith('/');
};

/** A host that a person trusts: `host`, `host:port` or `scheme://host[:port]`. */
export const trustedHost: Codec<string> = refine('TrustedHost', string, (entry, context) =>
  isHost(entry)
    ? t.success(entry)
    : expected('a host such as "api.example.com", "api.example.com:8443" or "https://api.example.com"', entry, context),
);
