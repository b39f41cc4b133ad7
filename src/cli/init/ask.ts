/** Questions to the user at a terminal; the first one loads the library for them. */
import { discover, HeadwaterError, printable } from '../..';
import type { Discovery, DiscoverOptions, Imported, WrittenRequest } from '../..';

/** Returns the address or the curl command line that the user enters. */
export async function promptForSource(): Promise<string> {
  const { input } = await import('@inquirer/prompts');
  return input({ message: 'Address of the data, or a command line of curl:', required: true });
}

/** Returns the lists of an import that the user chooses; those that need no value are preselected. */
export async function askLists({ beginnings }: Imported, values: Readonly<Record<string, string>>): Promise<string[]> {
  const { checkbox } = await import('@inquirer/prompts');
  return checkbox({
    message: 'Which lists?',
    required: true,
    choices: beginnings.map(({ id, name, missing }) => {
      const open = missing.filter((each) => !Object.hasOwn(values, each));
      const isOpen = open.length > 0;
      return {
        value: id,
        name: printable(`${id} (${name})`),
        checked: !isOpen,
        disabled: isOpen ? `needs ${open.map((each) => `--param ${printable(each)}=…`).join(' ')}` : false,
      };
    }),
  });
}

/** Asks whether more than a few requests may be sent. */
export async function askForMore(sent: number): Promise<boolean> {
  const { confirm } = await import('@inquirer/prompts');
  return confirm({ message: `${sent} requests were sent, and not all is sure yet. Send up to 60?`, default: false });
}

/** Runs detection, with questions if the API wants credentials, or the place or the form of the items is uncertain. */
export async function askMissing(request: WrittenRequest, options: DiscoverOptions): Promise<Discovery> {
  const { found, request: sent } = await withCredentials(request, options);
  const data = found.findings.find(({ about }) => about === 'data');
  const { keyed } = found;
  if (keyed !== undefined && options.keyed === undefined) {
    if (!(await askKeyed(keyed.place))) return discover(sent, { ...options, keyed: false });
    const place = keyed.place === '.' ? {} : { dataField: keyed.place };
    if (!keyed.isTaken) return discover(sent, { ...options, keyed: true, ...place });
  }
  if (data?.confidence !== 'unsure' || options.dataField !== undefined) return found;
  const { input } = await import('@inquirer/prompts');
  const dataField = await input({
    message: `Where are the items? ${data.reason} (a path such as data.items, or . for the whole response)`,
    default: data.value,
  });
  return dataField === data.value ? found : discover(sent, { ...options, dataField });
}

/** Asks what an object of objects is. */
async function askKeyed(place: string): Promise<boolean> {
  const { select } = await import('@inquirer/prompts');
  return select({
    message: `What is ${place === '.' ? 'the response' : printable(place)}, which has objects under keys of their own?`,
    choices: [
      { name: 'items, each under its key: a row for each', value: true },
      { name: 'one object: a single row', value: false },
    ],
  });
}

const REFUSED: ReadonlySet<number | undefined> = new Set([401, 403]);

async function withCredentials(
  request: WrittenRequest,
  options: DiscoverOptions,
): Promise<{ readonly found: Discovery; readonly request: WrittenRequest }> {
  try {
    return { found: await discover(request, options), request };
  } catch (error) {
    if (!(error instanceof HeadwaterError) || error.code !== 'API_STATUS' || !REFUSED.has(error.status)) throw error;
    process.stdout.write(`${error.message}\n`);
    const headers = { ...request.headers, ...(await askCredentials()) };
    return { found: await discover({ ...request, headers }, options), request: { ...request, headers } };
  }
}

async function askCredentials(): Promise<Readonly<Record<string, string>>> {
  const { input, password, select } = await import('@inquirer/prompts');
  const kind = await select({
    message: 'Which credentials do you have?',
    choices: [
      { name: 'a token (Authorization: Bearer …)', value: 'bearer' as const },
      { name: 'a name and a password', value: 'basic' as const },
      { name: 'a key in a header of another name', value: 'header' as const },
    ],
  });
  if (kind === 'bearer') return { authorization: `Bearer ${await password({ message: 'Token:' })}` };
  if (kind === 'header') {
    const name = await input({ message: 'Name of the header:', default: 'X-API-Key' });
    return { [name.toLowerCase()]: await password({ message: 'Key:' }) };
  }
  const user = await input({ message: 'Name:' });
  const pair = `${user}:${await password({ message: 'Password:' })}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
