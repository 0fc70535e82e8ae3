import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, monotonicTime, type Storage, systemClock } from '@halyard/contracts';
import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { Type } from '@sinclair/typebox';
import { gateOf } from './workflows.ts';

/** A storage for tests of durable chats. */
export interface DurableStorage {
  readonly storage: Storage;
  /** Whether it outlives the process. */
  readonly isDurable: boolean;
  /** The lease of a process that is to lose it. */
  readonly shortLeaseMs: number;
  /** Ends all leases that are not renewed. Without it, they end by the time of the database. */
  endLeases(): void;
}

export function inMemory(): DurableStorage {
  const clock = movedClock();
  return {
    storage: createInMemoryStorage({ clock }),
    isDurable: false,
    shortLeaseMs: longLeaseMs,
    endLeases: () => clock.move(longLeaseMs + 1),
  };
}

export function inPostgres(): DurableStorage {
  return {
    storage: createPostgresStorage({ dataDir: mkdtempSync(join(tmpdir(), 'durable-')) }),
    isDurable: true,
    shortLeaseMs: 2_000,
    endLeases: () => {},
  };
}

/** A lease that a busy machine renews in time. */
export const longLeaseMs = 60_000;
/** One of which a third is short enough to wait for the renewal, which notices what was lost. */
export const renewedLeaseMs = 6_000;

/** The time of the system, and the offset of the test. */
function movedClock(): Clock & { move(ms: number): void } {
  let moved = 0;
  return {
    now: () => systemClock.now() + moved,
    monotonicNow: () => monotonicTime(systemClock) + moved,
    move: (ms) => {
      moved += ms;
    },
  };
}

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
