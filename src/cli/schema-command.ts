import { schemaOf } from '..';
import { loadComponents } from './components';
import { describe, EXIT, statusOf } from './exit-status';
import { print } from './output';

export interface SchemaFlags {
  readonly components?: readonly string[];
}

/** `headwater schema`: prints the JSON Schema of configurations. Resolves to the exit status. */
export async function schemaCommand(flags: SchemaFlags): Promise<number> {
  try {
    const schema = schemaOf(await loadComponents(flags.components));
    print(`${JSON.stringify(schema, undefined, 2)}\n`);
    return EXIT.success;
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    return statusOf(error);
  }
}
