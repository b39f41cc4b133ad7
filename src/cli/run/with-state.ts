import type { Delivery, ExtractOptions, JsonObject, Log } from '../..';
import { sealOfEnvironment } from '../encryption-key';
import { readStateFile, saveStateFile } from '../state-file';

/** Where a run has its state from, and where what logins give goes. */
export type StateOptions = Pick<ExtractOptions, 'state' | 'onCredentials'>;
type Sending = (options: StateOptions) => Promise<Delivery>;

/** Runs with the state in a file, if one is named. The credentials that logins give are kept at once, all else after success. */
export async function withState(path: string | undefined, send: Sending, logger: Log): Promise<void> {
  if (path === undefined) {
    await send({ onCredentials: once(() => logger.log('warn', LOST)) });
    return;
  }
  const seal = sealOfEnvironment();
  const state = await readStateFile(path, seal);
  const save = (next: JsonObject): Promise<void> => saveStateFile(path, next, seal);
  await save((await send({ state, onCredentials: save })).state);
}

/** Calls the function the first time only: a token that lives briefly is lost again and again. */
function once(tell: () => unknown): () => void {
  let told = false;
  return () => {
    if (!told) tell();
    told = true;
  };
}

const LOST =
  'A login gave values for the next run (api.authentication.persist), which are lost: name a file for them with --state.';
