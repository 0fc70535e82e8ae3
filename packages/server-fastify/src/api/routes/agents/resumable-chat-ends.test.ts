import type { Storage, StreamStore } from '@halyard/contracts';
import { Agent, createMemory } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { payingAgents, payingWorkflows, startAndAsk, uiResponse } from '../../../testing/approvals.ts';
import { ask } from '../../../testing/memory.ts';
import { askIn, read, reconnectTo, stop, storytellers, textOf } from '../../../testing/resumable.ts';
import { json, serve, type Served } from '../../../testing/serve.ts';
import { gateOf } from '../../../testing/workflows.ts';

const servers: Served[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function open(storage: Storage, options: Parameters<typeof serve>[1] = {}): Promise<Served> {
  const server = await serve([], { agents: storytellers, memory: createMemory({ storage }), storage, ...options });
  servers.push(server);
  return server;
}

function storesOf(storage: Storage): StreamStore {
  return storage.streams ?? expect.fail('the storage keeps no streams');
}

async function stored(id: string, { origin }: Served): Promise<string[]> {
  const { data } = await ask(origin, `/conversations/${id}/messages`);
  return (data['messages'] as Parameters<typeof textOf>[0][]).map((message) => `${message?.role}: ${textOf(message)}`);
}

const whole = 'Once upon a time.And they lived happily ever after.';

describe('a server that shuts down', () => {
  it('completes its answers, including those that only clients of other servers read', async () => {
    const storage = createInMemoryStorage();
    const [closing, other] = [await open(storage), await open(storage)];
    const leaving = new AbortController();
    const asked = await askIn('ends', closing, { abortSignal: leaving.signal });
    await gateOf('ends').entered;
    const followed = read(await reconnectTo('ends', other));
    leaving.abort();
    await asked.cancel().catch(() => {});
    const closed = closing.close();
    gateOf('ends').open();
    await closed;
    expect(textOf((await followed).message)).toBe(whole);
    expect(await stored('ends', other)).toEqual(['user: Tell me a story', `assistant: ${whole}`]);
  });

  it('stops them after the grace period, and stores their text so far', async () => {
    const storage = createInMemoryStorage();
    // Half of it remains for the clients to read the end.
    const [closing, other] = [await open(storage, { limits: { shutdownGraceMs: 4_000 } }), await open(storage)];
    const asked = read(await askIn('stops', closing));
    await gateOf('stops').entered;
    const followed = read(await reconnectTo('stops', other));
    await closing.close();
    for (const { chunks, message } of [await asked, await followed]) {
      expect(chunks.at(-1)).toEqual({ type: 'abort', reason: 'The server is shutting down' });
      expect(textOf(message)).toBe('Once upon a time.');
    }
    expect(await stored('stops', other)).toEqual(['user: Tell me a story', 'assistant: Once upon a time.']);
    gateOf('again').open();
    expect(textOf((await read(await askIn('again', other))).message)).toBe(whole);
  });
});

describe('an answer whose stream is lost', () => {
  it('is aborted, and its client gets an error', async () => {
    const storage = createInMemoryStorage();
    const server = await open(storage);
    const asked = read(await askIn('lost', server));
    const signal = await gateOf('lost').entered;
    await storesOf(storage).deleteUser('ada');
    expect((await asked).chunks.at(-1)).toEqual({
      type: 'error',
      errorText: 'The answer was lost: the server that generated it has stopped',
    });
    await expect.poll(() => signal.aborted).toBe(true);
  });
});

describe('an approval for an agent in a workflow, answered by a resumable chat', () => {
  const options = { agents: payingAgents, workflows: payingWorkflows, secret: 'shared' };
  const answerTo = (id: string, asked: Parameters<typeof uiResponse>[0]) =>
    json({ input: uiResponse(asked), options: { conversationId: id, resumable: true } });

  it('can be read at any server', async () => {
    const storage = createInMemoryStorage();
    const [here, there] = [await open(storage, options), await open(storage, options)];
    const { asked } = await startAndAsk(here.origin, 'shop', 'pay 1', { conversationId: 'pays' });
    const answered = await fetch(`${here.origin}/agents/cashier/chat`, answerTo('pays', asked));
    const text = await answered.text();
    expect(text).toContain('"type":"tool-output-available"');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(await reconnectTo('pays', there, { agent: 'cashier' })).toBeNull();
  });
});

/** Also those of other tests in this process. */
function activeTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

describe('two hundred answers whose clients disconnected', () => {
  it('are stored in their conversations, and leave no stream behind', async () => {
    const storage = createInMemoryStorage();
    const streams = storesOf(storage);
    let watching = 0;
    const watch = streams.watch.bind(streams);
    vi.spyOn(streams, 'watch').mockImplementation((...args) => {
      const unwatch = watch(...args);
      let isWatching = true;
      watching += 1;
      return () => {
        if (isWatching) watching -= 1;
        isWatching = false;
        unwatch();
      };
    });
    const end = vi.spyOn(streams, 'end');
    const model = scriptedModel({ text: ['one ', 'two ', 'three'] });
    const server = await open(storage, { agents: [new Agent({ id: 'counter', model, resumable: true })] });
    const leave = async (at: number): Promise<void> => {
      const leaving = new AbortController();
      const body = json({ input: 'Count', options: { conversationId: `c${at}`, userId: 'ada' } });
      const response = await fetch(`${server.origin}/agents/counter/chat`, { ...body, signal: leaving.signal });
      leaving.abort();
      await expect(response.text()).rejects.toThrow();
    };
    const timersBefore = activeTimers();
    for (let at = 0; at < 200; at += 20) await Promise.all(Array.from({ length: 20 }, (_, next) => leave(at + next)));
    await expect.poll(() => [watching, end.mock.calls.length]).toEqual([0, 200]);
    expect(await stored('c199', server)).toEqual(['user: Count', 'assistant: one two three']);
    await expect.poll(() => activeTimers()).toBeLessThanOrEqual(timersBefore + 10);
  });
});

describe('an answer that is stopped', () => {
  it('is recorded as one run with its span, like that of any chat', async () => {
    const server = await open(createInMemoryStorage());
    const asked = read(await askIn('span', server));
    await gateOf('span').entered;
    await stop('span', server);
    await asked;
    const response = await fetch(`${server.origin}/observability/traces?entityId=teller`);
    const { data } = (await response.json()) as { data: { traces: { rootSpan: { attributes: object } }[] } };
    expect(data.traces).toHaveLength(1);
    expect(data.traces[0]?.rootSpan.attributes).toMatchObject({
      'halyard.operation': 'chat',
      'gen_ai.conversation.id': 'span',
    });
  });
});
