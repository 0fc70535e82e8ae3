import {
  approvalStoreCases,
  conversationStoreCases,
  executionStoreCases,
  streamStoreCases,
  telemetryStoreCases,
  userDataCases,
  workingMemoryStoreCases,
} from '@halyard/conformance';
import { silentLogger, type Storage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { describe, expect, it } from 'vitest';
import { shardedStorage } from './sharded-storage.ts';

describe('two in-memory storages as shards', () => {
  describe('approvals', () => {
    it.each(approvalStoreCases)('$name', async ({ run }) => {
      const { advance, now, storage } = twoShards();
      await expect(run({ store: storage.approvals, now, advance })).resolves.toBeUndefined();
    });
  });

  describe('conversations', () => {
    it.each(conversationStoreCases)('$name', async ({ run }) => {
      const { advance, storage } = twoShards();
      await expect(run({ store: storage.conversations, advance })).resolves.toBeUndefined();
    });
  });

  describe('executions', () => {
    it.each(executionStoreCases)('$name', async ({ run }) => {
      const { advance, storage } = twoShards();
      await expect(run({ store: storage.executions, advance })).resolves.toBeUndefined();
    });
  });

  describe('streams', () => {
    it.each(streamStoreCases)('$name', async ({ run }) => {
      const { advance, storage } = twoShards();
      if (storage.streams === undefined) expect.fail('the storage has no streams');
      await expect(run({ store: storage.streams, advance })).resolves.toBeUndefined();
    });
  });

  describe('telemetry', () => {
    it.each(telemetryStoreCases)('$name', async ({ run }) => {
      const { storage } = twoShards();
      if (storage.telemetry === undefined) expect.fail('the storage has no telemetry');
      await expect(run({ store: storage.telemetry })).resolves.toBeUndefined();
    });
  });

  describe('the data of users', () => {
    it.each(userDataCases)('$name', async ({ run }) => {
      await expect(run(twoShards())).resolves.toBeUndefined();
    });
  });

  describe('working memory', () => {
    it.each(workingMemoryStoreCases)('$name', async ({ run }) => {
      await expect(run(twoShards())).resolves.toBeUndefined();
    });
  });
});

/** The clock advances with each reading, like a real one: executions that two shards create in the same millisecond have no order. */
function twoShards(): {
  readonly storage: Storage;
  readonly now: () => number;
  readonly advance: (ms: number) => void;
} {
  let time = 1_750_000_000_000;
  const now = (): number => (time += 1);
  const advance = (ms: number): void => void (time += ms);
  const shards = [createInMemoryStorage({ clock: { now } }), createInMemoryStorage({ clock: { now } })];
  return { storage: shardedStorage(shards, { logger: silentLogger }), now, advance };
}
