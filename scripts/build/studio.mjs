/** Writes the page of `headwater studio` into dist/studio: one script, one style sheet, the page and its icon. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { licenses } from './licenses.mjs';

export async function writeStudio(root) {
  const [source, folder] = [join(root, 'studio'), join(root, 'dist', 'studio')];
  mkdirSync(folder, { recursive: true });
  for (const name of ['index.html', 'studio.css', 'icon.svg']) copyFileSync(join(source, name), join(folder, name));
  const bundle = await rolldown({
    input: join(source, 'src', 'main.tsx'),
    platform: 'browser',
    checks: { pluginTimings: false },
    tsconfig: join(source, 'tsconfig.json'),
    transform: { target: 'es2022', define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await bundle.write({
    file: join(folder, 'studio.js'),
    format: 'esm',
    minify: true,
    comments: false,
    codeSplitting: false,
  });
  await bundle.close();
  writeFileSync(join(folder, 'licenses.txt'), licenses(output.flatMap(({ modules }) => Object.keys(modules ?? {}))));
}
