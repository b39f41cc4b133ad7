/** The bytes of a minified bundle of a program: node scripts/package/bundled-size.mjs FOLDER TEXT [EXTERNAL…] */
import { build } from 'esbuild-wasm';

const [folder, contents, ...external] = process.argv.slice(2);
const { outputFiles } = await build({
  stdin: { contents, resolveDir: folder },
  bundle: true,
  platform: 'node',
  format: 'esm',
  minify: true,
  write: false,
  external,
  logLevel: 'error',
});
console.log(outputFiles[0].contents.length);
