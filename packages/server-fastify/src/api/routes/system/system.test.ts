import { createWorkflow } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, expect, it } from 'vitest';
import { serve, type Served } from '../../../testing/serve.ts';
import type { SystemReport } from './schemas.ts';

let server: Served;
afterEach(() => server.close());

async function report(): Promise<SystemReport> {
  const response = await fetch(`${server.origin}/observability/system`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: SystemReport }).data;
}

it('reports the process, its limits and its schedules', async () => {
  const digest = createWorkflow({ id: 'digest' })
    .andThen({ id: 'send', execute: () => 'sent' })
    .schedule({ cron: '0 6 * * *', timeZone: 'Europe/Berlin', missed: 'once' });
  server = await serve([], { workflows: [digest], limits: { bodyBytes: 4_096 } });
  const { executions, limits, process: own, replicas, schedules, storage } = await report();
  expect(own).toMatchObject({ node: process.version, environment: 'development', isDraining: false });
  expect(Date.parse(own.startedAt)).toBeLessThan(Date.now());
  expect(own.residentBytes).toBeGreaterThan(own.heapBytes);
  expect(executions).toEqual({ running: 0, waiting: 0 });
  expect(storage).toEqual({ telemetry: 'in-memory', isPersistent: false, pool: null, size: null });
  const isoTime = expect.stringMatching(/^20/);
  const replica = { id: expect.any(String), since: isoTime, leaseUntil: isoTime, isLost: false };
  expect(replicas).toEqual([{ ...replica, isThis: true, executions: 0 }]);
  expect(limits).toMatchObject({ bodyBytes: 4_096, jsonValues: 100_000 });
  expect(schedules).toMatchObject([
    { workflowId: 'digest', cron: '0 6 * * *', timeZone: 'Europe/Berlin', missed: 'once' },
  ]);
  expect(Date.parse(schedules[0]?.nextAt ?? '')).toBeGreaterThan(Date.now());
});

it('answers when the storage does not', async () => {
  const storage = createInMemoryStorage();
  const fail = () => Promise.reject(new Error('no'));
  storage.executions.runners = fail;
  server = await serve([], { storage: { ...storage, size: fail } });
  const { replicas, storage: stored } = await report();
  expect([replicas, stored.size]).toEqual([null, null]);
});

it('reports the size of the storage, and replicas that were lost', async () => {
  const storage = createInMemoryStorage();
  const size = { bytes: 30, tables: [{ name: 'executions', bytes: 30, rows: 2 }] };
  const lost = { runner: 'gone', since: 1_000, leaseUntil: 2_000, executions: 3 };
  storage.executions.runners = async () => [lost];
  server = await serve([], { storage: { ...storage, size: async () => size } });
  const { replicas, storage: stored } = await report();
  expect(stored.size).toEqual(size);
  expect(replicas).toMatchObject([{ id: 'gone', isThis: false, isLost: true, executions: 3 }]);
});

it('names the settings that are a risk', async () => {
  server = await serve([], { telemetry: false });
  const { warnings } = await report();
  expect(warnings.map(({ option }) => option)).toEqual(['auth', 'storage', 'secret', 'telemetry']);
});

it('names no risk that is not there', async () => {
  const provider = { type: 'none', verifyToken: () => null };
  server = await serve([], { auth: { provider, consoleKey: 'k' }, secret: 's'.repeat(32) });
  const response = await fetch(`${server.origin}/observability/system`, { headers: { 'x-console-access-key': 'k' } });
  const { data } = (await response.json()) as { data: SystemReport };
  expect(data.warnings.map(({ option }) => option)).toEqual(['storage']);
});
