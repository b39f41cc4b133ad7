/** What a shell makes of the commands: asked of a real one. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { curlOf, shellWord } from '../../../src/explore/probe/shell-command';
import type { Piece } from '../../../src/explore/probe/shell-command';
import { runsOf } from '../../support/cases';

/** The words that a shell passes on, with `curl` in its place. */
const wordsIn = (command: string, env: Readonly<Record<string, string>> = {}): string[] => {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}`;
  return execFileSync('sh', ['-c', script], { env: { ...process.env, ...env } })
    .toString('utf8')
    .split('\0')
    .slice(0, -1);
};

describe('curl commands', () => {
  const text = fc
    .oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({
        unit: fc.constantFrom("'", '"', '$', '`', '\\', '\n', '!', ' ', '*', '~', '#', '&', ';', '(', '%', 'a'),
        maxLength: 20,
      }),
    )
    .map((each) => each.replaceAll('\0', '').toWellFormed());

  it('pass every text through a shell as it is, variables too', () => {
    const piece: fc.Arbitrary<Piece> = fc.oneof(
      text.map((each) => ({ text: each })),
      fc.constantFrom({ variable: 'ONE' }, { variable: 'TWO' }),
    );
    const values = { ONE: `a 'b' "c" $HOME \`id\` \n\\ end`, TWO: '' };
    const valueOf = (each: Piece): string =>
      'text' in each ? each.text : each.variable === 'ONE' ? values.ONE : values.TWO;
    fc.assert(
      fc.property(
        fc.array(fc.array(piece, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 40 }),
        (words) => {
          const received = wordsIn(`curl ${words.map((each) => shellWord(each)).join(' ')}`, values);
          expect(received).toEqual(words.map((each) => each.map(valueOf).join('')));
        },
      ),
      { numRuns: runsOf(40) },
    );
  });

  it('have the method, the address, the headers and the body', () => {
    const command = curlOf({
      method: 'POST',
      url: [{ text: 'https://api.example/a?ids[]=1&x={y}' }],
      headers: [
        ['content-type', [{ text: 'application/json' }]],
        ['authorization', [{ text: 'Bearer ' }, { variable: 'TOKEN' }]],
        ['x-empty', []],
      ],
      body: [{ text: '@{"it\'s":"' }, { variable: 'TOKEN' }, { text: '"}' }],
    });
    expect(wordsIn(command, { TOKEN: 't o' })).toEqual([
      ...['-gsS', '-X', 'POST', 'https://api.example/a?ids[]=1&x={y}', '-H', 'content-type: application/json'],
      ...['-H', 'authorization: Bearer t o', '-H', 'x-empty;', '--data-raw', '@{"it\'s":"t o"}'],
    ]);
  });
});
