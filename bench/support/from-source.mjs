import Module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ENTRY = 'what is asked for';

/**
 * Loads parts of src that the package does not export.
 *
 * @param names the exported names by their files, for example `{ 'cluster/run-state': ['runFrom'] }`
 */
export async function fromSource(names) {
  const lines = Object.entries(names).map(
    ([file, its]) => `export { ${its.join(', ')} } from ${JSON.stringify(join(root, 'src', `${file}.ts`))};`,
  );
  const bundle = await rolldown({
    input: ENTRY,
    platform: 'node',
    external: (name) => name !== ENTRY && !name.startsWith('.') && !name.startsWith('/'),
    checks: { pluginTimings: false },
    plugins: [
      {
        name: 'entry',
        resolveId: (name) => (name === ENTRY ? ENTRY : null),
        load: (name) => (name === ENTRY ? lines.join('\n') : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'cjs', codeSplitting: false });
  // Packages are found from the project.
  const path = join(root, 'bench', 'from-source.cjs');
  const module = new Module(path);
  module.filename = path;
  module.paths = Module._nodeModulePaths(join(root, 'bench'));
  module._compile(output[0].code, path);
  return module.exports;
}
