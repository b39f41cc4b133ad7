import type { Dispatcher } from 'undici';
import { Flow } from '../../../src/http/transport/undici';

const BIG = Buffer.alloc(300_000, 'a');

/** A connection that gives what it has held back at once when it is resumed, as undici's does. */
function connection(held: () => void) {
  const state = { paused: false, aborted: 0 };
  const controller = {
    get paused() {
      return state.paused;
    },
    pause: () => (state.paused = true),
    resume: () => {
      state.paused = false;
      held();
    },
  } as unknown as Dispatcher.DispatchController;
  return { controller, state };
}

async function read(flow: Flow): Promise<number> {
  let bytes = 0;
  for await (const piece of flow) bytes += piece.length;
  return bytes;
}

describe('Flow', () => {
  it('gives what comes while the connection is resumed, and ends where that is the end', async () => {
    const { controller, state } = connection(() => {
      flow.add(Buffer.from('rest'));
      flow.end();
    });
    const flow = new Flow(controller, () => (state.aborted += 1));
    flow.add(BIG);
    expect(state.paused).toBe(true);
    await expect(read(flow)).resolves.toBe(BIG.length + 4);
    expect(state.aborted).toBe(0);
  });

  it('ends where nothing comes with the end', async () => {
    const { controller } = connection(() => flow.end());
    const flow = new Flow(controller, () => undefined);
    flow.add(BIG);
    await expect(read(flow)).resolves.toBe(BIG.length);
  });

  it('fails with the error that comes while the connection is resumed', async () => {
    const { controller } = connection(() => flow.end(new Error('reset')));
    const flow = new Flow(controller, () => undefined);
    flow.add(BIG);
    await expect(read(flow)).rejects.toThrow('reset');
  });

  it('gives what comes later', async () => {
    const { controller } = connection(() => undefined);
    const flow = new Flow(controller, () => undefined);
    const bytes = read(flow);
    for (const piece of ['a', 'bc']) {
      await Promise.resolve();
      flow.add(Buffer.from(piece));
    }
    setImmediate(() => flow.end());
    await expect(bytes).resolves.toBe(3);
  });

  it('closes the connection when its reader leaves, or when it is cancelled', async () => {
    const { controller, state } = connection(() => undefined);
    const flow = new Flow(controller, () => (state.aborted += 1));
    flow.add(Buffer.from('a'));
    for await (const piece of flow) {
      expect(piece).toHaveLength(1);
      break;
    }
    expect(state.aborted).toBe(1);
    const other = new Flow(controller, () => (state.aborted += 1));
    const bytes = read(other);
    other.cancel();
    await expect(bytes).rejects.toThrow('The reader has left.');
    expect(state.aborted).toBe(2);
  });
});
