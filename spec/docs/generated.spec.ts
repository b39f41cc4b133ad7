/**
 * Pages, tables and the schema are made from the definitions. `npm run docs` writes them; here they are compared.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../support/build';
import { generatedFiles, optionsInSentences } from '../support/generated';

const files = generatedFiles();
const isWriting = process.env['HEADWATER_WRITE_DOCS'] === '1';

describe('what is made from the definitions (npm run docs)', () => {
  it.each([...files])('%s', (path, text) => {
    const file = join(ROOT, path);
    if (isWriting) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    expect(existsSync(file) ? readFileSync(file, 'utf8') : 'no such file').toBe(text);
  });

  it.each(optionsInSentences())('%s explains the option %s', (page, option) => {
    // As code, or as a key of an example.
    expect(readFileSync(join(ROOT, page), 'utf8')).toMatch(new RegExp(`[\`".]${option}[\`".:=]`));
  });

  it.each(['pagination', 'authentication', 'formats', 'sinks'])('docs/language/%s has no other page', (folder) => {
    const pages = readdirSync(join(ROOT, 'docs/language', folder)).map((name) => `docs/language/${folder}/${name}`);
    expect(pages.filter((page) => !files.has(page))).toEqual([]);
  });
});
