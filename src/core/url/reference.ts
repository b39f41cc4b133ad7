import { parseUrl } from './parse-url';
import { splitUrl } from './query';

/** A response gave as an address what is none. The message says why, and repeats nothing of it. */
export class NoAddress extends TypeError {
  override readonly name = 'NoAddress';
}

const WEB = /^https?:/i;
/** The scheme, and the beginning of a host. */
const WITH_HOST = /^https?:\/\/[^/\\?#]/i;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const CONTROL = /\p{Cc}/u;

/**
 * Schemes that mean something to browsers, mailers or operating systems. Any other word before a colon may be the name
 * of a resource: a relative path may hold a colon (docs/language/requests.md#endpoints), `reports:run`.
 */
const OTHER_SCHEMES: ReadonlySet<string> = new Set(
  (
    'about acct android-app ar blob bolt cap chrome chrome-extension cid data dav dict dns facetime file filesystem finger ' +
    'ftp ftps geo git gopher gs h323 hdfs imap imaps intent ipfs ipns ipp ipps irc ircs itms-apps jar javascript jdbc ldap ' +
    'ldaps livescript magnet mailto maps mid mms mocha mongodb moz-extension mqtt mqtts ms-appx mysql nats news nfs nntp ' +
    'oci opaquelocktoken pkcs11 pop pop3 pop3s postgres postgresql redis rediss resource rsync rtmp rtsp s3 scp sftp sip ' +
    'sips skype slack sms smsto smtp smtps snmp socks socks5 spotify ssh stun svn tel telnet tftp turn unix urn vbscript ' +
    'view-source vnc webcal ws wss wyciwyg xmpp zoommtg'
  ).split(' '),
);

/**
 * Refuses what a response must not give as an address: another scheme than http and https, a scheme without a host, white
 * space around it, control characters, and backslashes where a host may stand. URL parsers pass over these, each in its
 * own way: what looks like a path of this host may be one of another.
 *
 * @param reference an absolute address, or one that is relative to another
 * @throws NoAddress
 * @example checkReference('javascript:alert(1)') // throws
 */
export function checkReference(reference: string): void {
  const fault = faultOf(reference);
  if (fault !== undefined) throw new NoAddress(fault);
}

function faultOf(reference: string): string | undefined {
  if (CONTROL.test(reference)) return 'it holds a control character, such as a tab or a line break';
  if (reference.trim() !== reference) return 'white space stands around it';
  if (/^[/\\]?\\/.test(reference)) return 'it begins with a backslash';
  if (reference.startsWith('#')) return 'it names a part of a page';
  if (/^\/\/(?![^/\\?#])/.test(reference)) return 'it names no host';
  if (WEB.test(reference)) {
    if (!WITH_HOST.test(reference)) return 'an address has to begin with http:// or https:// and a host';
    return hostOf(reference).includes('\\') ? 'its host holds a backslash' : undefined;
  }
  const scheme = SCHEME.exec(reference)?.[1]?.toLowerCase();
  if (scheme === undefined) return undefined;
  if (OTHER_SCHEMES.has(scheme) || /^[^:]+:[/\\]{2}/.test(reference))
    return `an address of the scheme "${scheme}" is neither http nor https`;
  return undefined;
}

/**
 * Refuses what a response must not give as a query: an address, and what {@link checkReference} refuses.
 *
 * @param query with or without its `?`
 * @throws NoAddress
 * @example checkQuery('?page=2')
 */
export function checkQuery(query: string): void {
  checkReference(query);
  if (WEB.test(query) || query.startsWith('//')) throw new NoAddress('it is an address, and no query');
}

/** The authority of an absolute address, spelled as it was: what stands between `//` and the path. */
const hostOf = (address: string): string => splitUrl(address).path.split('/', 3)[2] ?? '';

/**
 * Resolves a reference of a response as RFC 3986 says, and normalises it: the host is in lower case, in ASCII, and in
 * dotted decimal numbers if it is an address of IPv4 in whatever spelling. A fragment is dropped.
 *
 * @param from absolute URL
 * @throws NoAddress when that is no http or https address
 * @example resolveReference('//H.example/b', 'https://a.example/') // 'https://h.example/b'
 */
export function resolveReference(reference: string, from: string): string {
  checkReference(reference);
  const url = parseUrl(reference, from);
  if (url === undefined) throw new NoAddress('it is no URL');
  if (!WEB.test(url.protocol)) throw new NoAddress(`a word and a colon, "${url.protocol}", stand where a scheme does`);
  url.hash = '';
  return url.href;
}
