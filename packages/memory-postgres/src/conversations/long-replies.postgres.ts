import { randomBytes } from 'node:crypto';
import { type ConversationStore, silentLogger, type Storage } from '@halyard/contracts';
import { Agent, createMemory, createTool } from '@halyard/core';
import { randomIds } from '@halyard/core/server';
import { scriptedModel } from '@halyard/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { type PostgresServer, startPostgresServer } from '../testing/postgres-server.ts';

const userId = 'ada';
const none = { type: 'object' } as const;
const call = { toolCalls: [{ toolName: 'get', input: {} }] };
/** 32 KB that cannot be compressed. */
const result = (): string => randomBytes(24_000).toString('base64');

describe('an answer with large results of tools', () => {
  let server: PostgresServer;
  let storage: Storage;
  beforeAll(async () => {
    // Other tests would write to the same log.
    server = await startPostgresServer({ fsync: false });
    storage = createPostgresStorage({ connectionString: server.connectionString, logger: silentLogger });
    await storage.conversations.isTaken('any');
  });
  afterAll(async () => {
    await storage.close();
    await server.remove();
  });

  const get = createTool({ name: 'get', description: 'Gets', input: none, execute: result });
  const locate = createTool({ name: 'locate', description: 'Asks where', input: none });

  /** Bytes of the write-ahead log that the work writes. */
  const bytesOf = async (work: () => Promise<void>): Promise<number> => {
    const position = async (): Promise<number> => {
      const [row] = await server.query(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`);
      return (row as { readonly bytes: number }).bytes;
    };
    const before = await position();
    await work();
    return (await position()) - before;
  };
  const results = async (conversationId: string): Promise<number> => {
    const page = await storage.conversations.messages('anyone', conversationId, { limit: 10 });
    const parts = page?.messages.at(-1)?.parts ?? [];
    return parts.filter((part) => 'output' in part && String(part.output).length > 30_000).length;
  };

  const inSteps = async (count: number, conversationId: string): Promise<void> => {
    const model = scriptedModel((_, index) => (index < count ? call : 'Done.'));
    const memory = createMemory({ storage, logger: silentLogger });
    const agent = new Agent({ id: 'a', model, maxSteps: 50, tools: [get], memory });
    await agent.generateText('Go', { userId, conversationId });
  };

  /** Calls of one step. Each ends when the result of the one before is stored. */
  const atOnce = async (count: number, conversationId: string): Promise<void> => {
    const waiting: (() => void)[] = [];
    let saves = 0;
    const slow = createTool({
      name: 'get',
      description: 'Gets',
      input: none,
      execute: async () => {
        if (saves > 0) saves -= 1;
        else await new Promise<void>((resolve) => waiting.push(resolve));
        return result();
      },
    });
    const conversations = afterSaves(storage.conversations, () => {
      const next = waiting.shift();
      if (next === undefined) saves += 1;
      else next();
    });
    const toolCalls = Array.from({ length: count }, () => ({ toolName: 'get', input: {} }));
    const agent = new Agent({
      id: 'a',
      model: scriptedModel({ toolCalls }, 'Done.'),
      tools: [slow],
      memory: createMemory({ storage: { ...storage, conversations }, logger: silentLogger }),
    });
    await agent.generateText('Go', { userId, conversationId });
  };

  /** The reply goes on with the result of a client's tool. */
  const continued = async (count: number, conversationId: string): Promise<void> => {
    const ask = { toolCalls: [{ toolName: 'locate', input: {}, toolCallId: 'c1' }] };
    const model = scriptedModel(ask, (_, index) => (index <= count ? call : 'Done.'));
    const memory = createMemory({ storage, logger: silentLogger });
    const agent = new Agent({ id: 'a', model, maxSteps: 50, tools: [get, locate], memory });
    await agent.generateText('Go', { userId, conversationId });
    const output = { type: 'text', value: 'Rome' } as const;
    const content = [{ type: 'tool-result', toolCallId: 'c1', toolName: 'locate', output } as const];
    await agent.generateText([{ role: 'tool', content }], { userId, conversationId });
  };

  it.each([
    ['one after the other', inSteps],
    ['at once', atOnce],
    ['in an answer that is continued', continued],
  ])('costs about as much for each result: %s', async (_, run) => {
    const used: number[] = [];
    for (const count of [8, 32]) {
      const conversationId = randomIds.next();
      used.push(await bytesOf(() => run(count, conversationId)));
      expect(await results(conversationId)).toBe(count);
    }
    const [few = 0, many = 0] = used;
    expect(many / few).toBeLessThan(5);
    const [rows] = await server.query('select count(*)::integer as parts from halyard.message_parts');
    expect(rows).toEqual({ parts: 0 });
  });
});

/** The store, with a function that is called after each save. */
function afterSaves(store: ConversationStore, then: () => void): ConversationStore {
  return new Proxy(store, {
    get(target, key) {
      const method: unknown = Reflect.get(target, key);
      if (typeof method !== 'function') return method;
      return async (...given: unknown[]): Promise<unknown> => {
        const saved: unknown = await Reflect.apply(method, target, given);
        if (key === 'save' || key === 'saveParts') then();
        return saved;
      };
    },
  });
}
