import { string } from '../../language/codec/primitives';
import { optional } from '../../language/codec/record';

/** The option `file` of formats whose bodies may come in a zip archive. */
export const file = optional(string, {
  about:
    'The body is a zip archive, of which the files with this name are read; `*` stands for any characters. The arrays of several files become one, in the order of the archive.',
  default: 'a body may be a zip archive of one file',
  example: '*.csv',
});
