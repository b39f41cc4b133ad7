/**
 * How a value looks in base64 inside of a longer text, such as `user:value:more`: for each of the three places at which it may
 * begin in a group of three bytes, without the characters at its edges that hold bits of what stands beside it.
 *
 * @example base64Within('pass') // ['cGFzc', 'Bhc3', 'wYXNz']
 */
export const base64Within = (value: string): readonly string[] => {
  const bytes = Buffer.from(value);
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const bits = (before + bytes.byteLength) * 8;
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
  });
};
