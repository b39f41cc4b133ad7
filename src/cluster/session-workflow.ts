/** The workflow of a session: it keeps one login for all workers, and hands out the starts that rates allow. It runs in the sandbox of Temporal. */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineUpdate,
  setHandler,
  setWorkflowOptions,
  workflowInfo,
} from '@temporalio/workflow';
import { sessionFrom } from './session-state';
import type { Ask, SessionState } from './session-state';

const IDLE = '30 minutes';

/** Lives as long as workers use it. */
export async function headwaterSession(from: SessionState = { logins: {}, tasks: {}, rates: {} }): Promise<void> {
  let uses = 0;
  const { isBehind, state, ...served } = sessionFrom(from);
  for (const [name, answer] of Object.entries<(asked: never, now: number) => unknown>(served))
    setHandler(defineUpdate<unknown, [never]>(name), (asked) => {
      uses += 1;
      return answer(asked, Date.now());
    });
  setHandler(defineQuery<boolean, [Ask]>('isBehind'), (ask) => isBehind(ask, Date.now()));

  for (;;) {
    const before = uses;
    const isLong = await condition(() => workflowInfo().continueAsNewSuggested, IDLE);
    if (!isLong && uses === before) break;
    if (!isLong) continue;
    await condition(allHandlersFinished);
    await continueAsNew<typeof headwaterSession>(state());
  }
  await condition(allHandlersFinished);
}

// Runs of two versions share it, and it outlives the workers of the older one. The server refuses this from workers without a version.
setWorkflowOptions(
  () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'AUTO_UPGRADE' } : {}),
  headwaterSession,
);
