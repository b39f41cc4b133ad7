import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The packages whose modules are in files that were built, and their licences, which have to come along. */
export function licenses(modules) {
  const folders = new Set(modules.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? []));
  return [...folders]
    .sort()
    .map(licenseOf)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function licenseOf(path) {
  const { name, version: release, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const file = readdirSync(path).find((each) => /^licen[cs]e/i.test(each));
  return `${name} ${release} (${license})\n\n${file === undefined ? '' : readFileSync(join(path, file), 'utf8')}`;
}
