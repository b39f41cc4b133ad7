/** Every worked example of the manual does what its page says. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '../../src';
import { around, examplesOf } from '../support/page-examples';
import { runExample } from '../support/run-example';

const MANUAL = join(__dirname, '../../docs/language');
const pages = readdirSync(MANUAL, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));

describe.each(pages)('docs/language/%s', (page) => {
  const { examples, fragments, strays } = examplesOf(page, readFileSync(join(MANUAL, page), 'utf8'));

  it('has no JSON that nothing runs', () => {
    expect(strays).toEqual([]);
  });

  for (const [place, example] of examples)
    it(`${place}: runs`, async () => {
      await runExample(example);
    });

  for (const [place, fragment] of fragments)
    it(`${place}: is part of a configuration`, () => {
      expect(validate(around(fragment)).warnings).toEqual([]);
    });
});
