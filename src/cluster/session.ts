/** A session of a cluster as a worker uses it. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type * as TemporalClient from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { parseJson } from '../core/json/parse';
import { FatalError } from '../core/errors/errors';
import { optionalPackage } from '../core/optional-package';
import type { Seal } from '../core/sealed';
import type { SharedLogin, SharedResponse, SharedSession, Starts } from '../run/sessions/shared-session';
import { NAMES } from './protocol';
import type { Login, LoginState } from './session-state';

interface SessionPlace {
  readonly seal: Seal;
  readonly taskQueue: string;
  readonly place: string;
  readonly failed: (error: unknown) => void;
}

const OF_LOGIN = 'headwater login';
/** How long a login of another process is waited for before the session is asked again. */
const ASK_AGAIN_MS = 300;

/**
 * Returns the session of an API on a cluster. Responses to logins pass the server encrypted.
 *
 * @param place the base URL of the API
 * @param failed is called with what nobody waits for and went wrong all the same
 */
export function clusterSession(
  client: TemporalClient.Client,
  { seal, taskQueue, place, failed }: SessionPlace,
): SharedSession {
  const { WithStartWorkflowOperation } = optionalPackage('headwater worker', '@temporalio/client');
  const workflowId = `headwater session ${createHash('sha256').update(`${taskQueue} ${place}`).digest('hex').slice(0, 16)}`;
  const { origin } = new URL(place);
  const opened = ({ generation, sealed }: Login): SharedLogin => {
    const text = seal.open(Buffer.from(sealed, 'base64'), OF_LOGIN);
    if (text === undefined) throw new FatalError('CONFIG_INVALID', ANOTHER_KEY);
    return { generation, response: parseJson(text.toString('utf8')) as unknown as SharedResponse };
  };
  // The connection itself repeats calls for some twenty seconds; then the part ends, and is made again later.
  const update = async <T>(name: string, argument: object): Promise<T> => {
    try {
      return await client.workflow.executeUpdateWithStart<Workflow, T, object[]>(name, {
        args: [argument],
        startWorkflowOperation: new WithStartWorkflowOperation<Workflow>(NAMES.session, {
          ...{ workflowId, taskQueue, args: [], memo: { api: origin } },
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const message = `The session of ${origin}, which the workers share, does not answer (${reason}).`;
      throw new FatalError('CLUSTER_UNREACHABLE', message, { cause });
    }
  };
  return {
    login: async ({ key, after }) => {
      let login = await update<LoginState>('login', { key, after });
      for (; 'isUnderWay' in login; login = await update<LoginState>('login', { key, after }))
        await delay(ASK_AGAIN_MS);
      return 'isOwnTask' in login ? login : opened(login);
    },
    loggedIn: async ({ response, ...done }) => {
      const sealed = seal.close(Buffer.from(JSON.stringify(response)), OF_LOGIN).toString('base64');
      return opened(await update<Login>('loggedIn', { ...done, sealed }));
    },
    isBehind: (ask) =>
      client.workflow
        .getHandle(workflowId)
        .query<boolean, [object]>('isBehind', ask)
        .catch((error: unknown) => {
          failed(error);
          return false;
        }),
    loginGoesOn: (done) => update<undefined>('loginGoesOn', done).catch(failed),
    loginFailed: (done) => update('loginFailed', done),
    take: (ask) => update<Starts>('take', ask),
    pause: (ask) => update<undefined>('pause', ask).catch(failed),
    leases: new Map(),
  };
}

const ANOTHER_KEY =
  'A login of this cluster was sealed with another key than this worker has: set HEADWATER_KEY to the same value for all workers.';
