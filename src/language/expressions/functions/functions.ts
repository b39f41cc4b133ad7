/** The functions of the expression language (docs/language/functions.md), one line each. */
export { date, now, strtotime, time } from './dates';
export { hash, hashHmac, jwt, md5, sha1, uuid } from './digests';
export {
  base64Decode,
  base64Encode,
  coalesce,
  concat,
  ifempty,
  implode,
  rawurlencode,
  regex,
  replace,
  split,
  sprintf,
  urlencode,
} from './strings';
