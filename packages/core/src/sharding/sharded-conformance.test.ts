import { executionStoreCases, userDataCases } from '@halyard/conformance';
import { silentLogger, type Storage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { describe, expect, it } from 'vitest';
import { shardedStorage } from './sharded-storage.ts';

describe('two in-memory storages as shards', () => {
  // So these need no cases of their own here.
  it('have everything but executions and the data of users from the first of them', () => {
    const { first, storage } = twoShards();
    const { approvals, conversations, streams, telemetry, workingMemory } = storage;
    expect(approvals).toBe(first.approvals);
    expect(conversations).toBe(first.conversations);
    expect(streams).toBe(first.streams);
    expect(telemetry).toBe(first.telemetry);
    expect(workingMemory).toBe(first.workingMemory);
  });

  describe('executions', () => {
    it.each(executionStoreCases)('$name', async ({ run }) => {
      const { advance, storage } = twoShards();
      await expect(run({ store: storage.executions, advance })).resolves.toBeUndefined();
    });
  });

  describe('the data of users', () => {
    it.each(userDataCases)('$name', async ({ run }) => {
      await expect(run(twoShards())).resolves.toBeUndefined();
    });
  });
});

/** The clock advances with each reading, like a real one: executions that two shards create in the same millisecond have no order. */
function twoShards(): {
  readonly first: Storage;
  readonly storage: Storage;
  readonly now: () => number;
  readonly advance: (ms: number) => void;
} {
  let time = 1_750_000_000_000;
  const now = (): number => (time += 1);
  const advance = (ms: number): void => void (time += ms);
  const [first, second] = [createInMemoryStorage({ clock: { now } }), createInMemoryStorage({ clock: { now } })];
  return { first, storage: shardedStorage([first, second], { logger: silentLogger }), now, advance };
}
