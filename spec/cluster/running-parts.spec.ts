import { partsIn } from '../../src/cluster/running-parts';

type Described = Parameters<typeof partsIn>[0];
const at = (seconds: number) => ({ seconds: BigInt(seconds), nanos: 5e8 });
const described = (pendingActivities: readonly object[]): Described =>
  ({ raw: { pendingActivities } }) as unknown as Described;

describe('partsIn', () => {
  it('has what workers make, with what they have said of it, and what waits for one', () => {
    const heartbeatDetails = { payloads: [{ data: Buffer.from('{"pages":3,"items":60}') }] };
    const parts = partsIn(
      described([
        {
          ...{ activityId: 'job 0.0, pages 3 to 22', activityType: { name: 'make' }, state: 2, attempt: 2 },
          ...{ lastWorkerIdentity: '7@host', lastStartedTime: at(100), scheduledTime: at(90), heartbeatDetails },
          lastFailure: { message: 'activity Heartbeat timeout' },
        },
        {
          ...{ activityId: '4', activityType: { name: 'commit' }, state: 1, attempt: 1, lastWorkerIdentity: '' },
          ...{ scheduledTime: at(110), lastStartedTime: null, lastFailure: null },
        },
      ]),
    );
    expect(parts).toEqual([
      {
        ...{ name: 'job 0.0, pages 3 to 22', worker: '7@host', state: 'running', since: new Date(100_500) },
        ...{ attempt: 2, pages: 3, items: 60, failure: 'activity Heartbeat timeout' },
      },
      { name: 'the commit', state: 'waiting', since: new Date(110_500), attempt: 1 },
    ]);
    expect(partsIn({ raw: {} })).toEqual([]);
  });
});
