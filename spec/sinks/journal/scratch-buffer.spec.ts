import { createScratchBuffer } from '../../../src/sinks/journal/scratch-buffer';

describe('scratch', () => {
  it('gives room of the size that is asked for, in the same memory', () => {
    const room = createScratchBuffer();
    const first = room(1000);
    expect(first).toHaveLength(1000);
    expect(room(10)).toHaveLength(10);
    expect(room(10).buffer).toBe(first.buffer);
    expect(room(0)).toHaveLength(0);
  });

  it('grows, and does not keep what is very large', () => {
    const room = createScratchBuffer();
    const small = room(1000);
    expect(room(5000)).toHaveLength(5000);
    expect(room(1000).buffer).not.toBe(small.buffer);
    const kept = room(1000).buffer;
    expect(room(20 * 1024 * 1024)).toHaveLength(20 * 1024 * 1024);
    expect(room(1000).buffer).toBe(kept);
  });

  it('is one for each who asks', () => {
    expect(createScratchBuffer()(10).buffer).not.toBe(createScratchBuffer()(10).buffer);
  });
});
