import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@halyard/contracts';
import { Agent, createMemory, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createPostgresStorage } from '@halyard/memory-postgres';
import type { UIMessage } from 'ai';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { copyEmbeddedTemplate } from '../../../../../memory-postgres/src/testing/embedded-template.ts';
import { ask } from '../../../testing/memory.ts';
import { json, serve, type Served } from '../../../testing/serve.ts';

const hour = 3_600_000;
const pay = createTool({
  name: 'pay',
  description: '',
  input: { type: 'object' },
  needsApproval: { approvers: ['kim'], expiryMs: hour, onExpire: { approvers: ['lee'], expiryMs: hour } },
  execute: () => 'paid',
});

let dataDir: string;
let shiftMs: number;
let stop: () => Promise<void>;
beforeEach(async () => {
  shiftMs = 0;
  const { now } = systemClock;
  vi.spyOn(systemClock, 'now').mockImplementation(() => now() + shiftMs);
  dataDir = mkdtempSync(join(tmpdir(), 'halyard-expiry-'));
  await copyEmbeddedTemplate(dataDir);
});
afterEach(async () => {
  await stop();
  rmSync(dataDir, { recursive: true, force: true });
  vi.restoreAllMocks();
});

async function start(isDurable: boolean): Promise<Served> {
  const model = scriptedModel(({ prompt }) => {
    const last = prompt.at(-1);
    return last?.role === 'tool' ? JSON.stringify(last.content) : { toolCalls: [{ toolName: 'pay', input: {} }] };
  });
  const storage = createPostgresStorage({ dataDir, clockShiftMs: () => shiftMs });
  const server = await serve([], {
    agents: [new Agent({ id: 'clerk', model, tools: [pay], durable: isDurable })],
    storage,
    memory: createMemory({ storage }),
    secret: 'the same after a restart',
    leaseMs: 3_000,
  });
  stop = async () => {
    await server.close();
    await storage.close();
  };
  return server;
}

it.each([false, true])('ends a request in an embedded database after a restart; durable: %s', async (isDurable) => {
  const first = await start(isDurable);
  const input = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Pay' }] }];
  const options = { userId: 'ada', conversationId: 'talk', resumable: true };
  await (await fetch(`${first.origin}/agents/clerk/chat`, json({ input, options }))).text();
  shiftMs += hour;
  const approvers = async ({ origin }: Served): Promise<unknown> => {
    const { data } = (await (await fetch(`${origin}/approvals`)).json()) as { data: { approvals: object[] } };
    return data.approvals;
  };
  await expect.poll(() => approvers(first)).toMatchObject([{ approvers: ['lee'] }]);
  await stop();

  shiftMs += hour;
  const second = await start(isDurable);
  const last = async (): Promise<unknown> => {
    const { data } = await ask(second.origin, '/conversations/talk/messages?userId=ada');
    return (data['messages'] as UIMessage[]).at(-1)?.parts.at(-1);
  };
  await expect.poll(last).toMatchObject({ text: expect.stringContaining('Nobody has responded in time.') });
  expect(await approvers(second)).toEqual([]);
});
