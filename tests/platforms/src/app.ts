import { once } from 'node:events';
import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer, type HalyardServer, type ServerOptions } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { unreachableLimits } from '../../../tools/limits/unreachable-limits.ts';

export const consoleKey = 'the key of the console';

const greeter = new Agent({ id: 'greeter', model: scriptedModel({ text: ['Hel', 'lo', '.'] }) });

const pay = createTool({
  name: 'pay',
  description: 'Pays an invoice',
  input: Type.Object({ euros: Type.Number() }),
  needsApproval: true,
  execute: ({ euros }) => `paid ${euros}`,
});
const double = createWorkflow({ id: 'double', name: 'Double', purpose: '', input: Type.Object({ n: Type.Number() }) })
  .andThen({ id: 'first', execute: ({ data }) => data.n })
  .andThen({ id: 'second', execute: ({ data }) => data * 2 });

/** Below `/ai`. The token `of-ada` is that of the user ada. */
export function createApp(): Promise<HalyardServer> {
  const { waiter, tools } = createWaiter();
  const cashier = new Agent({
    id: 'cashier',
    tools: [pay],
    model: scriptedModel({ toolCalls: [{ toolName: 'pay', input: { euros: 5 } }] }, 'It is paid.'),
  });
  return createServer({
    limits: unreachableLimits,
    agents: [greeter, cashier, waiter],
    tools,
    workflows: [double],
    memory: createMemory(),
    prefix: '/ai',
    auth: {
      provider: { type: 'names', verifyToken: (token) => (token === 'of-ada' ? { id: 'ada' } : null) },
      consoleKey,
    },
    logger: 'silent',
    signals: false,
  });
}

/** An agent that waits in a tool, and tools of the server through which a test observes and ends it. */
function createWaiter(): { waiter: Agent; tools: NonNullable<ServerOptions['tools']> } {
  const entered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<string>();
  const input = Type.Object({});
  const wait = createTool({
    name: 'wait',
    description: 'Waits',
    input,
    execute: async (_input, { signal }) => {
      entered.resolve();
      await Promise.race([released.promise, once(signal, 'abort')]);
      signal.throwIfAborted();
    },
  });
  const waiter = new Agent({
    id: 'waiter',
    tools: [wait],
    hooks: { onEnd: () => ended.resolve('complete'), onError: () => ended.resolve('aborted') },
    model: scriptedModel({ toolCalls: [{ toolName: 'wait', input: {} }] }, 'I waited.'),
  });
  const tools = [
    createTool({ name: 'entered', description: 'Waits until it waits', input, execute: () => entered.promise }),
    createTool({ name: 'release', description: 'Lets it continue', input, execute: () => released.resolve() }),
    createTool({ name: 'ended', description: 'Waits for its end', input, execute: () => ended.promise }),
  ];
  return { waiter, tools };
}
