/** The functions of the expression language (docs/language/functions.md), one line each. */
export { base64Encode } from './base64-encode';
export { concat } from './concat';
export { date } from './date';
export { hash } from './hash';
export { hashHmac } from './hash-hmac';
export { ifempty } from './ifempty';
export { implode } from './implode';
export { md5 } from './md5';
export { sha1 } from './sha1';
export { sprintf } from './sprintf';
export { strtotime } from './strtotime';
export { time } from './time';
export { urlencode } from './urlencode';
