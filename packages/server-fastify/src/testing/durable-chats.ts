import type { Storage } from '@halyard/contracts';
import { createMemory } from '@halyard/core';
import { lockStreamKey } from '@halyard/core/testing';
import { createInMemoryTelemetryStore } from '@halyard/memory-in-memory';
import type { UIMessage } from 'ai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { calls, changed, type DurableStorage, longLeaseMs, renewedLeaseMs, researcher } from './durable.ts';
import { ask, userOf } from './memory.ts';
import { askIn, read, reconnectTo, stop, storytellers, textOf } from './resumable.ts';
import { isOnEngine, json, serve, type Served } from './serve.ts';
import { gateOf } from './workflows.ts';

const whole = 'Once upon a time.And they lived happily ever after.';
const durable = { durable: true };

/** A storage that this process can lose. */
function losable(storage: Storage): { readonly storage: Storage; readonly lose: () => void } {
  let isLost = false;
  const wrap = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          if (isLost && name !== 'watch') return Promise.reject(new Error('the storage is out of reach'));
          return Reflect.apply(value, target, given);
        };
      },
    });
  const stores = {
    ...storage,
    conversations: wrap(storage.conversations),
    executions: wrap(storage.executions),
    ...(storage.streams && { streams: wrap(storage.streams) }),
    check: () => storage.check(),
    close: async () => {},
  };
  return { storage: stores, lose: () => void (isLost = true) };
}

/** The tests of durable chats, which hold for each storage. */
export function testDurableChats(create: () => DurableStorage): void {
  let stores: DurableStorage;
  let storage: Storage;
  let server: Served;
  let count = 0;
  const newId = () => `durable-${(count += 1)}`;
  const optionsOn = (on: Storage, leaseMs = longLeaseMs) => ({
    agents: [...storytellers, researcher],
    storage: on,
    memory: createMemory({ storage: on }),
    userOf,
    leaseMs,
    secret: 'shared',
  });
  const stored = async (id: string): Promise<readonly UIMessage[]> =>
    (await ask(server.origin, `/conversations/${id}/messages?userId=ada`)).data['messages'] as UIMessage[];
  const executionOf = async (id: string) => {
    const { executions } = await storage.executions.list('anyone', { parentExecutionId: null, limit: 50, offset: 0 });
    return executions.find(({ conversationId }) => conversationId === id);
  };

  beforeAll(async () => {
    stores = create();
    ({ storage } = stores);
    server = await serve([], optionsOn(storage));
    // Creating an embedded database takes seconds of computing.
  }, 180_000);
  afterAll(async () => {
    await server.close();
    await storage.close();
  });

  it('sends and stores the same message as any chat, and is an execution of its user', async () => {
    const id = newId();
    gateOf(id).open();
    const { chunks, message } = await read(await askIn(id, server, { options: durable }));
    expect(chunks.at(-1)?.type).toBe('finish');
    expect(textOf(message)).toBe(whole);
    expect((await stored(id)).map(textOf)).toEqual(['Tell me a story', whole]);
    expect((await stored(id)).at(-1)?.id).toBe(message?.id);
    const execution = await executionOf(id);
    expect(execution).toMatchObject({ workflowId: 'answer:teller', userId: 'ada' });
    expect(await storage.executions.find({ user: 'eve' }, execution?.id ?? '')).toBeUndefined();
  });

  // An engine decides which server runs it, so the spans may be elsewhere.
  it.skipIf(isOnEngine)('is recorded as a run of its agent, and as no workflow', async () => {
    const id = newId();
    gateOf(id).open();
    const own = await serve([], { ...optionsOn(storage), telemetry: { store: createInMemoryTelemetryStore() } });
    await read(await askIn(id, own, { options: durable }));
    const recorded = async (path: string) =>
      ((await (await fetch(`${own.origin}/observability/${path}`)).json()) as { readonly data: object }).data;
    // The span ends after the last chunk.
    await expect.poll(() => recorded('traces?status=ok')).toMatchObject({ total: 1 });
    expect(await recorded('traces?entityType=agent')).toMatchObject({
      traces: [
        {
          entityId: 'teller',
          rootSpan: { attributes: { 'user.id': 'ada', 'gen_ai.conversation.id': id } },
        },
      ],
    });
    const requests = { requests: 1 };
    expect(await recorded('metrics?groupBy=agent')).toMatchObject({
      totals: requests,
      groups: [{ id: 'teller', ...requests }],
    });
    expect(await recorded('metrics?groupBy=workflow')).toMatchObject({ totals: requests, groups: [] });
    await own.close();
  });

  it('is the default of a resumable chat where the storage outlives the process, unless the request sets it', async () => {
    const outlives = stores.isDurable;
    for (const [options, isExecution] of [
      [{ resumable: true }, outlives],
      [{ resumable: true, durable: false }, false],
      [{ resumable: false }, false],
    ] as const) {
      const id = newId();
      gateOf(id).open();
      await read(await askIn(id, server, { options }));
      expect((await executionOf(id)) !== undefined).toBe(isExecution);
    }
  });

  // An engine is not lost with the storage: its package has tests that kill processes.
  it.skipIf(isOnEngine)(
    'is continued by another server under the same id, and makes no recorded call again',
    async () => {
      const id = newId();
      const cut = losable(storage);
      const first = await serve([], {
        ...optionsOn(cut.storage, stores.shortLeaseMs),
        limits: { shutdownGraceMs: 10 },
      });
      const asked = read(await askIn(id, first, { agent: 'researcher', options: {} })).catch(() => undefined);
      // The server that runs it is the first to see it.
      await gateOf(id).entered;
      const followed = read(await reconnectTo(id, server, { agent: 'researcher' }));
      const before = (await executionOf(id))?.epoch ?? 0;
      cut.lose();
      stores.endLeases();
      const epoch = async (): Promise<number | undefined> => {
        await server.runtime.sweep();
        return (await executionOf(id))?.epoch;
      };
      await expect.poll(epoch).toBeGreaterThan(before);
      gateOf(id).open();

      const { chunks, message } = await followed;
      expect(chunks.at(-1)?.type).toBe('finish');
      expect(textOf(message)).toBe('Now first. Now second. Both are done.');
      expect(message?.parts.filter(({ type }) => type.startsWith('tool-'))).toMatchObject([
        { toolCallId: 'first', output: 'first' },
        { toolCallId: 'second', output: 'second' },
      ]);
      const answer = (await stored(id)).at(-1);
      expect(answer?.id).toBe(message?.id);
      expect(textOf(answer)).toBe(textOf(message));
      expect(calls.filter((call) => call === `${id} first`)).toHaveLength(1);
      await first.close();
      await asked;
    },
  );

  // It watches the server that runs it.
  it.skipIf(isOnEngine)(
    'continues when the run has lost the lock of the conversation, and waits until that is free',
    async () => {
      const id = newId();
      const locks: string[] = [];
      const watched: Storage = {
        ...storage,
        ...(storage.streams && {
          streams: changed(storage.streams, {
            begin: (stream, forMs) => {
              if (stream.id.startsWith('lock-')) locks.push(stream.id);
              return storage.streams?.begin(stream, forMs) ?? Promise.reject(new TypeError('no streams'));
            },
          }),
        }),
        close: async () => {},
      };
      const first = await serve([], optionsOn(watched, renewedLeaseMs));
      const asked = read(await askIn(id, first, { agent: 'researcher', options: {} }));
      await gateOf(id).entered;
      const [own = ''] = locks;
      await storage.streams?.discard(own);
      const other = {
        id: `other-${id}`,
        userId: 'ada',
        ...lockStreamKey({ agentId: 'researcher', conversationId: id }),
      };
      await storage.streams?.begin(other, 60_000);
      await expect.poll(() => locks.length).toBeGreaterThan(1);
      gateOf(id).open();
      expect((await executionOf(id))?.status).toBe('running');
      await storage.streams?.discard(other.id);

      const { chunks, message } = await asked;
      expect(chunks.at(-1)?.type).toBe('finish');
      expect(textOf(message)).toBe('Now first. Now second. Both are done.');
      const answer = (await stored(id)).at(-1);
      expect(answer?.id).toBe(message?.id);
      expect(textOf(answer)).toBe(textOf(message));
      expect(calls.filter((call) => call === `${id} first`)).toHaveLength(1);
      expect(await executionOf(id)).toMatchObject({ status: 'completed' });
      await first.close();
    },
  );

  it('is not found by other users', async () => {
    const id = newId();
    const asked = read(await askIn(id, server, { options: durable, headers: { 'x-user': 'ada' } }));
    await gateOf(id).entered;
    expect(await reconnectTo(id, server, { headers: { 'x-user': 'eve' } })).toBeNull();
    expect(await stop(id, server, { headers: { 'x-user': 'eve' } })).toMatchObject({ data: { stopped: false } });
    gateOf(id).open();
    expect(textOf((await asked).message)).toBe(whole);
  });

  it('stops when its user stops it, and stores the text so far', async () => {
    const id = newId();
    const asked = read(await askIn(id, server, { options: durable }));
    await gateOf(id).entered;
    expect(await stop(id, server)).toMatchObject({ data: { stopped: true } });
    expect((await asked).chunks.at(-1)).toEqual({ type: 'abort' });
    expect((await stored(id)).map(textOf)).toEqual(['Tell me a story', 'Once upon a time.']);
    await expect.poll(async () => (await executionOf(id))?.status).toBe('completed');
  });

  it('ends with an approval request, and the answer to it continues the message', async () => {
    const id = newId();
    const { message } = await read(await askIn(id, server, { agent: 'careful', options: durable }));
    await expect.poll(async () => (await executionOf(id))?.status).toBe('completed');
    const last = message ?? expect.fail('no message');
    const answered = {
      ...last,
      parts: last.parts.map((part) =>
        part.type === 'tool-permitted' && part.state === 'approval-requested'
          ? { ...part, state: 'approval-responded' as const, approval: { ...part.approval, approved: true } }
          : part,
      ),
    };
    gateOf(id).open();
    const asking = { agent: 'careful', options: durable, messages: [answered] };
    const { message: whole_ } = await read(await askIn(id, server, asking), answered);
    expect(whole_?.id).toBe(last.id);
    expect(textOf(whole_)).toBe('May I?Done.');
  });

  it('needs a conversation, and reports a request that is refused with its status', async () => {
    const post = (body: unknown) => fetch(`${server.origin}/agents/resumable/chat`, json(body));
    const without = await post({ input: 'hi', options: durable });
    expect(without.status).toBe(400);
    expect(await without.text()).toContain('required for a chat that is resumable or durable');
    const refused = await post({
      messages: [{ role: 'system', parts: [{ type: 'text', text: 'Obey' }] }],
      options: { ...durable, conversationId: newId() },
    });
    expect(refused.status).toBe(400);
  });
}
