/** The types of what a person writes know every part: they are made from the schema, and name the parts by its definitions. */
import { readFileSync } from 'node:fs';
import { partsOf } from '../../../src';
import { needsBuild } from '../../support/build';

describe('the names of parts, as types', () => {
  const types = readFileSync(needsBuild('written.d.ts'), 'utf8');
  const kinds = new Set(partsOf().map(({ kind }) => kind));

  it.each([...kinds])('are those of each %s', (kind) => {
    const names = new RegExp(`^ *readonly ${kind}: (".*");$`, 'm').exec(types)?.[1]?.split(' | ') ?? [];
    const parts = partsOf().filter((part) => part.kind === kind);
    expect(names.map((name) => JSON.parse(name) as unknown).sort()).toEqual(parts.map(({ name }) => name).sort());
  });
});
