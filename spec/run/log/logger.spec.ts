import { createLogger } from '../../../src/run/log/logger';

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

  it('writes out what would begin a line as an entry does, and leaves lines that are set in', () => {
    expect(lineOf('key "a\u2028\u2029\u0085\n2026-01-01 info: fine"')).toMatch(
      / info: key "a\\u2028\\u2029\\u0085\\n2026-01-01 info: fine"$/,
    );
    expect(lineOf('Two faults.\n  one\n  two')).toMatch(/ info: Two faults\.\n {2}one\n {2}two$/);
  });

  it('leaves line feeds, tabs and every letter', () => {
    expect(lineOf('a\n\tb é 日本 👩‍👩‍👧')).toMatch(/ info: a\n\tb é 日本 👩‍👩‍👧$/);
  });
});
