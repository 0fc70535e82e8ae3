import {
  approvalStoreCases,
  auditLogCases,
  conversationStoreCases,
  executionStoreCases,
  streamStoreCases,
  telemetryStoreCases,
  userDataCases,
  workingMemoryStoreCases,
} from '@halyard/conformance';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMyStorage } from './my-storage.ts';

describe('approvals', () => {
  it.each(approvalStoreCases)('$name', async ({ run }) => {
    const { storage, now, advance } = emptyStorage();
    await expect(run({ store: storage.approvals, now, advance })).resolves.toBeUndefined();
  });
});

describe('the audit trail', () => {
  it.each(auditLogCases)('$name', async ({ run }) => {
    await expect(run(emptyStorage())).resolves.toBeUndefined();
  });
});

describe('conversations', () => {
  it.each(conversationStoreCases)('$name', async ({ run }) => {
    const { storage, advance } = emptyStorage();
    await expect(run({ store: storage.conversations, advance })).resolves.toBeUndefined();
  });
});

describe('working memory', () => {
  it.each(workingMemoryStoreCases)('$name', async ({ run }) => {
    await expect(run(emptyStorage())).resolves.toBeUndefined();
  });
});

describe('executions', () => {
  it.each(executionStoreCases)('$name', async ({ run }) => {
    const { storage, advance } = emptyStorage();
    await expect(run({ store: storage.executions, advance })).resolves.toBeUndefined();
  });
});

describe('live answers', () => {
  it.each(streamStoreCases)('$name', async ({ run }) => {
    const { storage, advance } = emptyStorage();
    await expect(run({ store: existing(storage.streams), advance })).resolves.toBeUndefined();
  });
});

describe('spans and log lines', () => {
  it.each(telemetryStoreCases)('$name', async ({ run }) => {
    const { storage } = emptyStorage();
    await expect(run({ store: existing(storage.telemetry) })).resolves.toBeUndefined();
  });
});

describe('the data of a user', () => {
  it.each(userDataCases)('$name', async ({ run }) => {
    await expect(run(emptyStorage())).resolves.toBeUndefined();
  });
});

/**
 * A case needs an empty storage and a clock that it can move. With a database, empty its tables
 * here.
 */
function emptyStorage() {
  let time = 1_750_000_000_000;
  const now = (): number => time;
  const storage = createMyStorage({ clock: { now } });
  onTestFinished(() => storage.close());
  return { storage, now, advance: (ms: number) => void (time += ms) };
}

function existing<Store>(store: Store | undefined): Store {
  if (store === undefined) throw new Error('The storage does not have this store: delete its suite.');
  return store;
}
