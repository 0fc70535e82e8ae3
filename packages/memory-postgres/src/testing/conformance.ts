import {
  approvalStoreCases,
  auditLogCases,
  conversationStoreCases,
  executionMirrorCases,
  executionStoreCases,
  streamStoreCases,
  telemetryStoreCases,
  userDataCases,
  webhookStoreCases,
  workingMemoryStoreCases,
} from '@halyard/conformance';
import { beforeEach, describe, expect, it } from 'vitest';
import type { StorageForTests } from './open-for-test.ts';

/** Declares a test for each conformance case of a storage. */
export function describeConformance(database: StorageForTests): void {
  const { advance, now } = database;
  beforeEach(() => database.empty());

  describe('approvals', () => {
    it.each(approvalStoreCases)('$name', async ({ run }) => {
      await expect(run({ store: database.storage.approvals, now, advance })).resolves.toBeUndefined();
    });
  });

  describe('the audit trail', () => {
    it.each(auditLogCases)('$name', async ({ run }) => {
      await expect(run({ storage: database.storage })).resolves.toBeUndefined();
    });
  });

  describe('conversations', () => {
    it.each(conversationStoreCases)('$name', async ({ run }) => {
      await expect(run({ store: database.storage.conversations, advance })).resolves.toBeUndefined();
    });
  });

  describe('executions', () => {
    it.each(executionStoreCases)('$name', async ({ run }) => {
      await expect(run({ store: database.storage.executions, advance })).resolves.toBeUndefined();
    });
  });

  describe('the mirror of executions', () => {
    it.each(executionMirrorCases)('$name', async ({ run }) => {
      const { executionMirror: mirror } = database.storage;
      if (mirror === undefined) expect.fail('the storage has no mirror');
      await expect(run({ mirror })).resolves.toBeUndefined();
    });
  });

  describe('streams', () => {
    it.each(streamStoreCases)('$name', async ({ run }) => {
      const { streams } = database.storage;
      if (streams === undefined) expect.fail('the storage has no streams');
      await expect(run({ store: streams, advance })).resolves.toBeUndefined();
    });
  });

  describe('telemetry', () => {
    it.each(telemetryStoreCases)('$name', async ({ run }) => {
      const { telemetry } = database.storage;
      if (telemetry === undefined) expect.fail('the storage has no telemetry');
      await expect(run({ store: telemetry })).resolves.toBeUndefined();
    });
  });

  describe('the data of users', () => {
    it.each(userDataCases)('$name', async ({ run }) => {
      await expect(run({ storage: database.storage })).resolves.toBeUndefined();
    });
  });

  describe('webhooks', () => {
    it.each(webhookStoreCases)('$name', async ({ run }) => {
      const { webhooks } = database.storage;
      if (webhooks === undefined) expect.fail('the storage has no webhooks');
      await expect(run({ storage: { ...database.storage, webhooks }, now, advance })).resolves.toBeUndefined();
    });
  });

  describe('working memory', () => {
    it.each(workingMemoryStoreCases)('$name', async ({ run }) => {
      await expect(run({ storage: database.storage })).resolves.toBeUndefined();
    });
  });
}
