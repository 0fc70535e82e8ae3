import {
  approvalStoreCases,
  auditLogCases,
  conversationStoreCases,
  executionMirrorCases,
  streamStoreCases,
  telemetryStoreCases,
  userDataCases,
  vectorStoreCases,
  webhookStoreCases,
  workingMemoryStoreCases,
} from '@halyard/conformance';
import type { Storage } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { createInMemoryVectorStore } from './conversations/in-memory-vector-store.ts';
import { InMemoryExecutionMirror } from './executions/in-memory-execution-mirror.ts';
import { createInMemoryStorage } from './in-memory-storage.ts';
import { InMemoryStreamStore } from './streams/in-memory-stream-store.ts';
import { createInMemoryTelemetryStore } from './telemetry/in-memory-telemetry-store.ts';

describe('the approvals of an in-memory storage', () => {
  it.each(approvalStoreCases)('$name', async ({ run }) => {
    const { storage, now, advance } = storageWithClock();
    await expect(run({ store: storage.approvals, now, advance })).resolves.toBeUndefined();
  });
});

describe('the audit trail of an in-memory storage', () => {
  it.each(auditLogCases)('$name', async ({ run }) => {
    await expect(run(storageWithClock())).resolves.toBeUndefined();
  });
});

describe('the conversations of an in-memory storage', () => {
  it.each(conversationStoreCases)('$name', async ({ run }) => {
    const { storage, advance } = storageWithClock();
    await expect(run({ store: storage.conversations, advance })).resolves.toBeUndefined();
  });
});

describe('an in-memory mirror of executions', () => {
  it.each(executionMirrorCases)('$name', async ({ run }) => {
    await expect(run({ mirror: new InMemoryExecutionMirror() })).resolves.toBeUndefined();
  });
});

describe('an in-memory store of streams', () => {
  it.each(streamStoreCases)('$name', async ({ run }) => {
    let time = 1_750_000_000_000;
    const advance = (ms: number): void => void (time += ms);
    const store = new InMemoryStreamStore({ now: () => time });
    await expect(run({ store, advance })).resolves.toBeUndefined();
  });
});

describe('an in-memory store of telemetry', () => {
  it.each(telemetryStoreCases)('$name', async ({ run }) => {
    await expect(run({ store: createInMemoryTelemetryStore() })).resolves.toBeUndefined();
  });
});

describe('the data of users in an in-memory storage', () => {
  it.each(userDataCases)('$name', async ({ run }) => {
    await expect(run({ storage: createInMemoryStorage() })).resolves.toBeUndefined();
  });
});

describe('the working memory of an in-memory storage', () => {
  it.each(workingMemoryStoreCases)('$name', async ({ run }) => {
    await expect(run({ storage: createInMemoryStorage() })).resolves.toBeUndefined();
  });
});

describe('an in-memory store of vectors', () => {
  it.each(vectorStoreCases)('$name', async ({ run }) => {
    await expect(run({ store: createInMemoryVectorStore() })).resolves.toBeUndefined();
  });
});

describe('the webhooks of an in-memory storage', () => {
  it.each(webhookStoreCases)('$name', async ({ run }) => {
    const { storage, ...clock } = storageWithClock();
    const { webhooks } = storage;
    if (webhooks === undefined) expect.fail('the storage has no webhooks');
    await expect(run({ storage: { ...storage, webhooks }, ...clock })).resolves.toBeUndefined();
  });
});

function storageWithClock(): {
  readonly storage: Storage;
  readonly now: () => number;
  readonly advance: (ms: number) => void;
} {
  let time = 1_750_000_000_000;
  const now = (): number => time;
  const advance = (ms: number): void => {
    time += ms;
  };
  return { storage: createInMemoryStorage({ clock: { now } }), now, advance };
}
