/** Bundles a program for Node.js: node scripts/package/bundle.mjs esbuild|webpack|rolldown PROGRAM esm|cjs FOLDER */
import { join } from 'node:path';
import { promisify } from 'node:util';

const [bundler, program, format, out] = process.argv.slice(2);
const file = format === 'esm' ? 'bundle.mjs' : 'bundle.cjs';

const ways = {
  esbuild: async () => {
    const { build } = await import('esbuild-wasm');
    // CommonJS packages call `require` for parts of Node.js, which an ES module has to be given.
    const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
    const given = format === 'esm' ? { banner: { js: banner } } : {};
    const common = { bundle: true, platform: 'node', format, logLevel: 'error', minify: true };
    await build({ entryPoints: [program], outfile: join(out, file), ...common, ...given });
  },
  webpack: async () => {
    const { default: webpack } = await import('webpack');
    const stats = await promisify(webpack)({
      mode: 'production',
      target: 'node20',
      entry: program,
      output: { path: out, filename: file },
      // It takes most of the time, and is not what is tried here.
      optimization: { minimize: false },
    });
    if (stats.hasErrors()) throw new Error(stats.toString());
  },
  rolldown: async () => {
    const { rolldown } = await import('rolldown');
    const made = await rolldown({ input: program, platform: 'node' });
    await made.write({ dir: out, format, entryFileNames: file, codeSplitting: false });
    await made.close();
  },
};
await ways[bundler]();
