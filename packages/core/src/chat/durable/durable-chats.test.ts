import { UnavailableError } from '@halyard/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentOptions } from '../../agent/agent-options.ts';
import { Agent } from '../../agent/agent.ts';
import { randomIds } from '../../agent/default-services.ts';
import { createMemory } from '../../memory/memory.ts';
import type { AgentInput, UIMessage, UIMessageChunk } from '../../model/messages/message.ts';
import { type ScriptedReply, scriptedModel, silentLogger } from '../../testing/index.ts';
import { leaseMs, WorkflowKit } from '../../workflow/testing/workflow-kit.ts';
import type { ChatChunks, NewChat } from '../stream/resumable-chats.ts';
import { DurableChats } from './durable-chats.ts';

const place = { agentId: 'poet', conversationId: 'talk' };
const question: NewChat = {
  ...place,
  userId: 'ada',
  callerKey: 'user:ada',
  policy: 'queue',
  extendedMessage: undefined,
};
const options = { userId: 'ada', conversationId: 'talk' };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A server whose agent gives these replies. */
async function setUp(replies: readonly [ScriptedReply, ...ScriptedReply[]], given: Partial<AgentOptions> = {}) {
  const kit = new WorkflowKit();
  const { clock, storage } = kit;
  const store = storage.streams ?? expect.fail('no streams');
  const memory = createMemory({ storage });
  const agent = new Agent({ id: 'poet', model: scriptedModel(...replies), memory, ...given });
  /** The callers whose limits count a chat. */
  const counted: string[] = [];
  const chats = new DurableChats({
    agents: [agent],
    store,
    executions: storage.executions,
    clock,
    ids: randomIds,
    logger: silentLogger,
    leaseMs,
    queueWaitMs: 5_000,
    shutdownError: () => new UnavailableError('SHUTTING_DOWN', 'The server shuts down'),
    reserve: (key) => {
      counted.push(key);
      return () => void counted.splice(counted.indexOf(key), 1);
    },
    describeFailure: (error, id) => `${id.split('.')[0]} failed: ${String(error)}`,
  });
  await kit.restart(...chats.workflows);
  const { signal } = new AbortController();
  const start = (input: AgentInput = 'Hi', chat: Partial<NewChat> = {}): Promise<ChatChunks> =>
    chats.start({ ...question, ...chat }, input, options, signal, kit.runtime);
  const live = () => store.findLive('anyone', place);
  const executions = async () =>
    (await storage.executions.list('anyone', { parentExecutionId: null, limit: 9, offset: 0 })).executions;
  return { chats, counted, executions, kit, live, start, store };
}

/** A model call that begins, and ends when the test lets it. */
function gate(reply: ScriptedReply = 'Once.') {
  const [entered, opened] = [Promise.withResolvers<AbortSignal | undefined>(), Promise.withResolvers<void>()];
  const held: ScriptedReply = async (call, index) => {
    entered.resolve(call.abortSignal);
    await opened.promise;
    return typeof reply === 'function' ? reply(call, index) : reply;
  };
  return { reply: held, entered: entered.promise, open: opened.resolve };
}

/** Reads a chat to its end. `pass` lets time pass until then. */
async function read(chunks: ChatChunks, pass: (ms: number) => void = () => {}): Promise<readonly UIMessageChunk[]> {
  const reading = parsed(chunks);
  let hasEnded = false;
  void reading.then(
    () => (hasEnded = true),
    () => (hasEnded = true),
  );
  while (!hasEnded) {
    pass(1_000);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  return reading;
}

async function parsed(batches: ChatChunks): Promise<readonly UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const batch of batches) chunks.push(...batch.map((chunk) => JSON.parse(chunk) as UIMessageChunk));
  return chunks;
}

const types = (chunks: readonly UIMessageChunk[]): string[] => chunks.map(({ type }) => type);
const textOf = (chunks: readonly UIMessageChunk[]): string =>
  chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('');

describe('a durable chat', () => {
  it('is an execution, which ends with the id of its stream', async () => {
    const { counted, executions, kit, start } = await setUp(['Once upon a time.']);
    const chunks = await read(await start());
    expect([types(chunks).at(0), textOf(chunks), types(chunks).at(-1)]).toEqual([
      'start',
      'Once upon a time.',
      'finish',
    ]);
    await kit.settle();
    expect(await executions()).toMatchObject([
      {
        workflowId: 'answer:poet',
        status: 'completed',
        userId: 'ada',
        conversationId: 'talk',
        output: { streamId: expect.stringMatching(/^answer\./) },
      },
    ]);
    expect(counted).toEqual([]);
  });

  it('leaves nothing where its execution cannot begin', async () => {
    const { counted, executions, kit, live, start } = await setUp(['Never.']);
    const error = new UnavailableError('STORAGE_UNAVAILABLE', 'away');
    vi.spyOn(kit.runtime, 'begin').mockRejectedValueOnce(error);
    await expect(start()).rejects.toBe(error);
    expect([counted, await live(), await executions()]).toEqual([[], undefined, []]);
  });

  it('is refused before its first chunk where the agent refuses the request', async () => {
    const { counted, kit, live, start } = await setUp(['Never.']);
    await expect(start([])).rejects.toMatchObject({ kind: 'invalid-input' });
    await kit.settle();
    expect([counted, await live()]).toEqual([[], undefined]);
  });

  it('ends with the failure of its model', async () => {
    const { counted, executions, kit, start } = await setUp([{ error: new TypeError('secret') }], {
      retries: { maxRetries: 0 },
    });
    const chunks = await read(await start());
    expect(chunks.at(-1)).toEqual({ type: 'error', errorText: 'The model of agent "poet" failed' });
    await kit.settle();
    expect(counted).toEqual([]);
    expect(await executions()).toMatchObject([{ status: 'error' }]);
  });

  it('ends when its run takes longer than `totalMs`', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] });
    const { counted, executions, kit, live, start } = await setUp([{ text: 'Once', hangs: true }], {
      timeouts: { totalMs: 5_000 },
    });
    const chunks = await read(await start());
    expect(chunks.at(-1)).toEqual({ type: 'error', errorText: 'The run took longer than 5000 ms' });
    await kit.settle();
    expect([counted, await live()]).toEqual([[], undefined]);
    expect(await executions()).toMatchObject([{ status: 'error' }]);
  });

  it('waits for the chat before it, and is refused at a shutdown', async () => {
    const { reply, entered, open } = gate();
    const { chats, counted, start } = await setUp([reply]);
    const first = await start();
    await entered;
    const [refused, late] = [start('Next'), start('Late')];
    expect(counted).toEqual(['user:ada', 'user:ada', 'user:ada']);
    chats.drain();
    for (const one of [refused, late]) await expect(one).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    expect(counted).toEqual(['user:ada']);
    open();
    expect(textOf(await read(first))).toBe('Once.');
  });

  it('ends with an abort when it is stopped', async () => {
    const { reply, entered, open } = gate();
    const { kit, start, store } = await setUp([reply]);
    const chunks = read(await start(), (ms) => kit.clock.advance(ms));
    const signal = await entered;
    expect(await store.requestStop('anyone', place)).toBe(true);
    expect(types(await chunks).at(-1)).toBe('abort');
    expect(signal?.aborted).toBe(true);
    open();
  });

  it.each<[string, ScriptedReply]>([
    ['succeeds', 'Once.'],
    ['fails', { error: new TypeError('cut off') }],
  ])('begins its stream again when this was lost during a model call that %s', async (_, outcome) => {
    const { reply, entered, open } = gate(outcome);
    const { executions, kit, live, start } = await setUp([reply, 'Twice.'], { retries: { maxRetries: 0 } });
    const chunks = read(await start());
    await entered;
    const lost = await live();
    // The lease of the stream ends: the process was suspended, for example.
    kit.clock.advance(leaseMs * 6);
    open();
    expect(textOf(await chunks)).toMatch(/Once\.|Twice\./);
    await kit.settle();
    const [execution] = await executions();
    expect(execution).toMatchObject({ status: 'completed', output: { streamId: expect.stringMatching(/^answer\./) } });
    expect(execution?.output).not.toEqual({ streamId: lost?.id });
  });

  it('sends readers that come later the message that it continues', async () => {
    const { reply, entered, open } = gate('And they lived.');
    const { chats, live, start } = await setUp([reply]);
    const extendedMessage: UIMessage = { id: 'm1', role: 'assistant', parts: [{ type: 'text', text: 'Once.' }] };
    const first = read(await start('Go on', { extendedMessage }));
    await entered;
    const { signal } = new AbortController();
    const stream = (await live()) ?? expect.fail('no stream');
    const later = await chats.follow(stream, { ...place, owner: 'anyone' }, signal);
    const all = read(later ?? expect.fail('no chat'));
    open();
    expect(textOf(await first)).toBe('And they lived.');
    expect(textOf(await all)).toBe('Once.And they lived.');
  });
});
