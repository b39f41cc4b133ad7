/** A function of an application: the same definition as those of Headwater. */
import { defineFunction, textAt } from '../../../src/components';

/** The part of a string that stands in addresses: lower-case letters and digits, with hyphens between words. */
export const slug = defineFunction({
  name: 'slug',
  summary: 'A string as addresses have it: lower-case letters and digits, with hyphens between words.',
  use: 'The API names its resources by their titles.',
  arguments: [{ name: 'title', about: 'The string; marks above letters are dropped.' }],
  result: 'A string; an empty one where nothing of the title can stay.',
  rules: ['Whatever is no letter from a to z and no digit, once marks are dropped, becomes a hyphen.'],
  examples: [
    { args: ['Wehr an der Mühle'], result: 'wehr-an-der-muhle' },
    { args: ['  7 Ways!  '], result: '7-ways' },
  ],
  call: (args) =>
    textAt(args, 0)
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word !== '')
      .join('-'),
});
