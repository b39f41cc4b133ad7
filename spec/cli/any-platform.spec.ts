/** What the command takes from its platform is what every platform has; Windows has no `/tmp`, few signals, and links for few. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/build';

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name: name.replaceAll('\\', '/'), source: readFileSync(join(ROOT, 'src', name), 'utf8') }));
const using = (pattern: RegExp): readonly string[] =>
  sources.filter(({ source }) => pattern.test(source)).map(({ name }) => name);

describe('the sources', () => {
  it('name no folder of one platform: those for temporary files come from the system', () => {
    expect(sources.length).toBeGreaterThan(500);
    expect(using(/^(?! *(?:\*|example:)).*['"`]\/(?:tmp|var|home|usr|etc)\//m)).toEqual([]);
  });

  it('make no symbolic links', () => {
    expect(using(/\bsymlink(?:Sync)?\(/)).toEqual([]);
  });

  it('end by the two signals that Node.js knows everywhere', () => {
    expect(using(/['"]SIG(?!INT\b|TERM\b)[A-Z0-9]+['"]/)).toEqual([]);
  });
});
