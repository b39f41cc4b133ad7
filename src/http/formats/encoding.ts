import { accept, expected, refine } from '../../language/codec/codec';
import { string } from '../../language/codec/primitives';
import { optional } from '../../language/codec/record';

const label = refine('Encoding', string, (written, context) => {
  try {
    return accept(new TextDecoder(written).encoding);
  } catch {
    return expected('an encoding such as "windows-1252" or "utf-16le"', written, context);
  }
});

/** The option `encoding` of formats that are made of characters. */
export const encoding = optional(label, {
  about: 'How the bytes of a body become characters: a label of the WHATWG Encoding Standard.',
  default:
    'a byte order mark, else `charset` of the content type, else what the body itself declares, else UTF-8; a body that is then no UTF-8 is an error',
  example: 'windows-1252',
});
