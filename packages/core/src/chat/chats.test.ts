import { HalyardError, type Storage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentOptions } from '../agent/agent-options.ts';
import { Agent } from '../agent/agent.ts';
import { defaultServices } from '../agent/default-services.ts';
import { createMemory } from '../memory/memory.ts';
import { scriptedModel, silentLogger } from '../testing/index.ts';
import { WorkflowRuntime } from '../workflow/engine/workflow-runtime.ts';
import { Gate } from '../workflow/testing/gate.ts';
import { type ChatKind, type ChatRequest, Chats } from './chats.ts';
import { executionOfStream } from './durable/chat-stream.ts';

const place = { agentId: 'poet', conversationId: 'c1' };
const ada = { user: 'ada' };

type AgentSettings = Pick<AgentOptions, 'durable' | 'resumable'>;

/** The chats of an agent that answers "Done." when the gate opens. */
function open(settings: AgentSettings = {}, { outliveProcess = false } = {}) {
  const storage: Storage = createInMemoryStorage();
  const services = { ...defaultServices(), logger: silentLogger };
  const { clock, ids, logger } = services;
  const gate = new Gate();
  const model = scriptedModel(async ({ abortSignal = new AbortController().signal }) => {
    await gate.passOrAbort({ signal: abortSignal });
    return 'Done.';
  });
  const agent = new Agent({ id: 'poet', model, memory: createMemory({ storage }), ...settings });
  const reserved: string[] = [];
  let draining = false;
  const chats = new Chats({
    store: storage.streams ?? expect.fail('no streams'),
    executions: storage.executions,
    agents: [agent],
    outliveProcess,
    isDraining: () => draining,
    clock,
    ids,
    logger,
    leaseMs: 3_600_000,
    queueWaitMs: 3_600_000,
    shutdownError: () => new HalyardError('unavailable', 'SHUTTING_DOWN', 'The server is shutting down'),
    reserve: (callerKey) => {
      reserved.push(callerKey);
      return () => void reserved.pop();
    },
    describeFailure: String,
  });
  const workflows = new WorkflowRuntime({ workflows: chats.workflows, storage, services, leaseMs: 3_600_000 });
  workflows.start();
  onTestFinished(async () => {
    gate.open();
    await Promise.all([chats.drain(3_600_000), workflows.stop(3_600_000)]);
  });
  const client = new AbortController();
  return {
    chats,
    client,
    gate,
    reserved,
    drain: () => {
      draining = true;
      return chats.drain(3_600_000);
    },
    start: (request: Partial<ChatRequest> = {}) =>
      chats.start(
        {
          agent,
          input: 'Write',
          options: { conversationId: 'c1', userId: 'ada', signal: client.signal },
          callerKey: 'user:ada',
          ...request,
        },
        { agentServices: services, storage, workflows },
      ),
    follow: () => chats.follow(ada, place, new AbortController().signal),
    /** Which kind of chat the conversation has. */
    kind: async (): Promise<ChatKind> => {
      const live = await storage.streams?.findLive(ada, place);
      if (live === undefined) return 'plain';
      return executionOfStream(live.id) === undefined ? 'resumable' : 'durable';
    },
  };
}

/** The text of the chunks, which are objects or JSON. */
async function textOf(batches: AsyncIterable<readonly unknown[]> | undefined): Promise<string> {
  let text = '';
  for await (const batch of batches ?? expect.fail('no chat'))
    for (const sent of batch) {
      const chunk = (typeof sent === 'string' ? JSON.parse(sent) : sent) as { type: string; delta?: string };
      if (chunk.type === 'text-delta') text += chunk.delta;
    }
  return text;
}

describe('a chat', () => {
  it.each<readonly [kind: string, agent: AgentSettings, outlives: boolean, request: Partial<ChatRequest>]>([
    ['plain', {}, true, {}],
    ['plain', { resumable: true }, true, { resumable: false }],
    ['plain', { durable: true }, true, { resumable: false }],
    ['resumable', { resumable: true }, false, {}],
    ['resumable', {}, false, { resumable: true }],
    ['resumable', { durable: true }, true, { durable: false }],
    ['resumable', { resumable: true, durable: false }, true, {}],
    ['durable', { resumable: true }, true, {}],
    ['durable', { durable: true }, false, {}],
    ['durable', {}, false, { durable: true }],
  ])(
    'is %s: agent %j, storage that outlives the process %j, request %j',
    async (kind, agent, outliveProcess, request) => {
      const { follow, gate, kind: kindOf, start } = open(agent, { outliveProcess });
      const chunks = await start(request);
      const reader = textOf(chunks);
      await gate.entered;
      expect([await kindOf(), (await follow()) !== undefined]).toEqual([kind, kind !== 'plain']);
      gate.open();
      expect(await reader).toBe('Done.');
    },
  );

  it.each([
    ['resumable', { resumable: true }],
    ['durable', { durable: true }],
  ])('that is %s goes on without its client, and counts for its caller until it ends', async (_, agent) => {
    const { client, follow, gate, reserved, start } = open(agent);
    const left = textOf(await start()).catch(() => '');
    await gate.entered;
    client.abort();
    await left;
    const again = await follow();
    expect(reserved).toEqual(['user:ada']);
    gate.open();
    expect(await textOf(again)).toBe('Done.');
    await expect.poll(() => reserved).toEqual([]);
    expect(await follow()).toBeUndefined();
  });

  it('that is plain ends with its client', async () => {
    const { client, gate, start } = open();
    const reader = textOf(await start());
    await gate.entered;
    client.abort();
    expect(await reader).toBe('');
    expect(gate.signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('that outlives its client needs a conversation', async () => {
    const { client, start } = open({ resumable: true });
    await expect(start({ options: { userId: 'ada', signal: client.signal } })).rejects.toThrow(
      'body/options/conversationId is required',
    );
  });

  it.each([
    ['resumable', { resumable: true }],
    ['durable', { durable: true }],
  ])('that is %s is stopped by its user only', async (_, agent) => {
    const { chats, gate, start } = open(agent);
    const reader = textOf(await start());
    await gate.entered;
    expect(await chats.stop({ user: 'ben' }, place)).toBe(false);
    expect(await chats.stop(ada, place)).toBe(true);
    expect(await reader).toBe('');
    expect(await chats.stop(ada, place)).toBe(false);
  });
});

it('waits for its chats when it drains, and refuses those that wait for their conversation', async () => {
  const { drain, gate, start } = open({ resumable: true });
  const reader = textOf(await start());
  await gate.entered;
  const waiting = start();
  waiting.catch(() => {});
  const drained = drain();
  await expect(waiting).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  gate.open();
  await drained;
  expect(await reader).toBe('Done.');
});
