import { createLogger } from '../src/logger';

describe('createLogger', () => {
  const lineOf = (message: string): string => {
    const { format } = createLogger({ level: 'info', format: 'text' });
    const info = format.transform({ level: 'info', message }, {});
    return String((info as unknown as Record<symbol, unknown>)[Symbol.for('message')]);
  };

  it('writes out what a terminal would obey', () => {
    expect(lineOf('\u001b[2Jgone\r\u0007 \u009b31m \u202Eexe')).toMatch(
      / info: \\u001b\[2Jgone\\u000d\\u0007 \\u009b31m \\u202eexe$/,
    );
  });

  it('leaves line feeds, tabs and every letter', () => {
    expect(lineOf('a\n\tb é 日本 👩‍👩‍👧')).toMatch(/ info: a\n\tb é 日本 👩‍👩‍👧$/);
  });
});
