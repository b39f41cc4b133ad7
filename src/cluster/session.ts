/** A session of a cluster as a worker uses it. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type * as TemporalClient from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { parseJson } from '../core/json/parse';
import { FatalError } from '../core/errors/errors';
import { optionalPackage } from '../core/optional-package';
import type { Seal } from '../core/sealed';
import type { SharedResponse, SharedSession, Starts } from '../run/sessions/shared-session';
import { NAMES } from './protocol';
import type { Told } from './session-workflow';

const OF_LOGIN = 'headwater login';
/** How long a login of another process is waited for before the session is asked again. */
const ASK_AGAIN_MS = 300;

/**
 * Returns the session of an API on a cluster. Responses to logins pass the server encrypted.
 *
 * @param place the base URL of the API
 */
export function clusterSession(
  client: TemporalClient.Client,
  { seal, taskQueue, place }: { readonly seal: Seal; readonly taskQueue: string; readonly place: string },
): SharedSession {
  const { WithStartWorkflowOperation } = optionalPackage('headwater worker', '@temporalio/client');
  const workflowId = `headwater session ${createHash('sha256').update(`${taskQueue} ${place}`).digest('hex').slice(0, 16)}`;
  const update = <T>(name: string, argument: object): Promise<T> =>
    client.workflow.executeUpdateWithStart<Workflow, T, object[]>(name, {
      args: [argument],
      startWorkflowOperation: new WithStartWorkflowOperation<Workflow>(NAMES.session, {
        ...{ workflowId, taskQueue, args: [], memo: { api: new URL(place).origin } },
        workflowIdConflictPolicy: 'USE_EXISTING',
      }),
    });
  return {
    login: async ({ key, after }) => {
      let told = await update<Told>('login', { key, after });
      for (; 'isUnderWay' in told; told = await update<Told>('login', { key, after })) await delay(ASK_AGAIN_MS);
      if ('isOwnTask' in told) return told;
      const text = seal.open(Buffer.from(told.sealed, 'base64'), OF_LOGIN);
      if (text === undefined) throw new FatalError('CONFIG_INVALID', ANOTHER_KEY);
      return { generation: told.generation, response: parseJson(text.toString('utf8')) as unknown as SharedResponse };
    },
    loggedIn: ({ key, generation, response }) => {
      const sealed = seal.close(Buffer.from(JSON.stringify(response)), OF_LOGIN).toString('base64');
      return update('loggedIn', { key, generation, sealed });
    },
    loginGoesOn: (done) => update('loginGoesOn', done),
    loginFailed: (done) => update('loginFailed', done),
    take: (ask) => update<Starts>('take', ask),
    pause: (ask) => update('pause', ask),
  };
}

const ANOTHER_KEY =
  'A login of this cluster was sealed with another key than this worker has: set HEADWATER_KEY to the same value for all workers.';
