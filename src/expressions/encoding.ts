import { percentEncode } from '../url/query';

/** Standard base64, with padding, of the UTF-8 bytes (specification 2.4). */
export const base64Encode = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** Form encoding: a space is `+`, and only letters, digits and `-._` stay (language 7.2). */
export const urlEncode = (text: string): string => percentEncode(text).replaceAll('%20', '+').replaceAll('~', '%7E');
