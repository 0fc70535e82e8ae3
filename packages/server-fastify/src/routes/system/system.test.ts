import { createWorkflow } from '@halyard/core';
import { afterEach, expect, it } from 'vitest';
import { serve, type Served } from '../../testing/serve.ts';
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
  const { executions, limits, process: own, schedules, storage } = await report();
  expect(own).toMatchObject({ node: process.version, environment: 'development', isDraining: false });
  expect(Date.parse(own.startedAt)).toBeLessThan(Date.now());
  expect(own.residentBytes).toBeGreaterThan(own.heapBytes);
  expect(executions).toEqual({ running: 0, waiting: 0 });
  expect(storage).toEqual({ telemetry: 'in-memory', isPersistent: false, pool: null });
  expect(limits).toMatchObject({ bodyBytes: 4_096, jsonDepth: 64 });
  expect(schedules).toMatchObject([
    { workflowId: 'digest', cron: '0 6 * * *', timeZone: 'Europe/Berlin', missed: 'once' },
  ]);
  expect(Date.parse(schedules[0]?.nextAt ?? '')).toBeGreaterThan(Date.now());
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
