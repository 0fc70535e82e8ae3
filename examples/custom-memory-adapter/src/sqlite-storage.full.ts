import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  approvalStoreCases,
  auditLogCases,
  conversationStoreCases,
  executionStoreCases,
  userDataCases,
  workingMemoryStoreCases,
} from '@halyard/conformance';
import type { Storage } from '@halyard/contracts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSqliteStorage } from './sqlite-storage.ts';

describe('conversations in a file', () => {
  it.each(conversationStoreCases)('$name', async ({ run }) => {
    const { storage, advance } = freshStorage();
    await expect(run({ store: storage.conversations, advance })).resolves.toBeUndefined();
  });
});

describe('working memory in a file', () => {
  it.each(workingMemoryStoreCases)('$name', async ({ run }) => {
    await expect(run(freshStorage())).resolves.toBeUndefined();
  });
});

describe('used approvals in a file', () => {
  it.each(approvalStoreCases)('$name', async ({ run }) => {
    const { storage, now, advance } = freshStorage();
    await expect(run({ store: storage.approvals, now, advance })).resolves.toBeUndefined();
  });
});

describe('the audit trail in a file', () => {
  it.each(auditLogCases)('$name', async ({ run }) => {
    await expect(run(freshStorage())).resolves.toBeUndefined();
  });
});

describe('the data of users in a file', () => {
  it.each(userDataCases)('$name', async ({ run }) => {
    await expect(run(freshStorage())).resolves.toBeUndefined();
  });
});

describe('executions of a storage with a file', () => {
  it.each(executionStoreCases)('$name', async ({ run }) => {
    const { storage, advance } = freshStorage();
    await expect(run({ store: storage.executions, advance })).resolves.toBeUndefined();
  });
});

describe('a file', () => {
  const create = { id: 'c-1', resourceId: 'guide', userId: 'ada', title: 'Rome', metadata: {} };
  const message = { id: 'm-1', role: 'user' as const, parts: [] };

  it('contains the written data when it is opened again', async () => {
    const file = freshFile();
    const first = createSqliteStorage({ file });
    await first.conversations.save('anyone', { conversationId: 'c-1', messages: [message], create });
    await first.workingMemory.update('anyone', { scope: 'user', userId: 'ada' }, () => 'Likes tea');
    await first.approvals.consume('a-1', Date.now() + 60_000);
    await first.close();

    const second = createSqliteStorage({ file });
    onTestFinished(() => second.close());
    await second.check();
    const found = await second.conversations.messages({ user: 'ada' }, 'c-1', { limit: 10 });
    expect(found).toMatchObject({ conversation: { title: 'Rome' }, messages: [message] });
    expect(await second.workingMemory.read({ user: 'ada' }, { scope: 'user', userId: 'ada' })).toBe('Likes tea');
    expect(await second.approvals.consume('a-1', Date.now() + 60_000)).toBe(false);
  });

  it('accepts writes of two storages to one conversation', async () => {
    const file = freshFile();
    const storages = [createSqliteStorage({ file }), createSqliteStorage({ file })];
    onTestFinished(async () => void (await Promise.all(storages.map((storage) => storage.close()))));
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const messages = [{ ...message, id: `m-${index}` }];
        return storages[index % 2]?.conversations.save('anyone', { conversationId: 'c-1', messages, create });
      }),
    );
    expect(answers.filter((answer) => typeof answer === 'object' && answer.isNew)).toHaveLength(1);
    const found = await storages[0]?.conversations.messages('anyone', 'c-1', { limit: 100 });
    expect(found?.messages).toHaveLength(40);
  });

  it('reports that it is unavailable after it is closed', async () => {
    const storage = createSqliteStorage();
    await storage.close();
    await expect(storage.check()).rejects.toThrow('database is not open');
  });
});

function freshStorage(): {
  readonly storage: Storage;
  readonly now: () => number;
  readonly advance: (ms: number) => void;
} {
  let time = 1_750_000_000_000;
  const now = (): number => time;
  const advance = (ms: number): void => {
    time += ms;
  };
  const storage = createSqliteStorage({ clock: { now } });
  onTestFinished(() => storage.close());
  return { storage, now, advance };
}

function freshFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'halyard-sqlite-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'memory.sqlite');
}
