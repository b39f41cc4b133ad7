import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parse, printParseErrorCode } from 'jsonc-parser';
import type { ParseError } from 'jsonc-parser';
import { FatalError, parseJson } from '../index';
import type { Json } from '../index';

/** What {@link parseJson} throws: with a code for JSON that only it refuses. */
type UnfitJson = SyntaxError & { readonly code?: string };

/** What is wrong with JSON that only {@link parseJson} refuses, without quoting it. */
function unfit({ code, message }: UnfitJson): string | undefined {
  if (code === 'JSON_TOO_DEEP') return message;
  return code === 'JSON_OUT_OF_RANGE' ? 'it has a number that is out of range' : undefined;
}

/**
 * Reads a configuration file; `-` is standard input.
 *
 * @param signal gives up waiting for standard input
 * @throws FatalError CONFIG_UNREADABLE with line and column when it is not JSON; never with its text, which holds secrets
 */
export async function readConfig(path: string, signal?: AbortSignal): Promise<Json> {
  const content = await read(path, signal);
  const bare = content.startsWith('\uFEFF') ? content.slice(1) : content;
  try {
    return parseJson(bare);
  } catch (error) {
    const fault = unfit(error as UnfitJson) ?? firstFault(bare);
    throw new FatalError('CONFIG_UNREADABLE', `${name(path)} is not valid JSON: ${fault}`);
  }
}

async function read(path: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    if (path !== '-') return await readFile(path, 'utf8');
    if (signal !== undefined) addAbortSignal(signal, process.stdin);
    return await text(process.stdin);
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : String(cause);
    throw new FatalError('CONFIG_UNREADABLE', `${name(path)} cannot be read: ${reason}`, { cause });
  }
}

const name = (path: string): string => (path === '-' ? 'The configuration on standard input' : path);

function firstFault(content: string): string {
  const errors: ParseError[] = [];
  parse(content, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  if (first === undefined) return 'it cannot be parsed';
  const before = content.slice(0, first.offset).split('\n');
  return `${words(printParseErrorCode(first.error))} at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

/** `CommaExpected` → `comma expected`. */
const words = (code: string): string => code.replace(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
