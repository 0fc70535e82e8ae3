import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Storage } from '@halyard/contracts';
import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { Type } from '@sinclair/typebox';
import { gateOf } from './workflows.ts';

/** The storages that durable chats are tested with. */
export const storages: readonly (readonly [string, () => Storage])[] = [
  ['in memory', () => createInMemoryStorage()],
  ['in PostgreSQL', () => createPostgresStorage({ dataDir: mkdtempSync(join(tmpdir(), 'durable-')) })],
];

/** How often each tool was called in a conversation. */
export const calls: string[] = [];
const tool = (name: string) =>
  createTool({
    name,
    description: '',
    input: Type.Object({}),
    execute: async (_, { conversationId = 'none', signal }) => {
      calls.push(`${conversationId} ${name}`);
      if (name === 'second') await gateOf(conversationId).pass(signal);
      return name;
    },
  });
/** Calls two tools, one after the other. The second one waits at the gate of its conversation. */
export const researcher = new Agent({
  id: 'researcher',
  durable: true,
  tools: [tool('first'), tool('second')],
  model: scriptedModel(({ prompt }) => {
    const results = prompt.filter(({ role }) => role === 'tool').length;
    if (results === 2) return { text: ['Both ', 'are done.'] };
    const toolName = results === 0 ? 'first' : 'second';
    return { text: [`Now `, `${toolName}. `], toolCalls: [{ toolName, toolCallId: toolName, input: {} }] };
  }),
});

/** The store with other methods. */
export function changed<Store extends object>(store: Store, changes: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(changes, name) ?? Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
