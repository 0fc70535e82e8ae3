/**
 * One replica, in its own process, of a server whose sub-agent pays when a person approves, and whose
 * workflow and lender ask another person when nobody responds. Prints its address, then each call of a tool.
 * The arguments are the database, and `hangs` if booking never ends.
 */
import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { Type } from '@sinclair/typebox';
import { createServer } from '../create-server.ts';

const [, , connectionString = '', mode] = process.argv;
const say = (line: string): unknown => process.stdout.write(`${line}\n`);
const pay = createTool({
  name: 'pay',
  description: '',
  input: Type.Object({}),
  needsApproval: true,
  execute: (_, { idempotencyKey }) => {
    say(`paid ${idempotencyKey}`);
    return 'paid';
  },
});
const book = createTool({
  name: 'book',
  description: '',
  input: Type.Object({}),
  execute: () => {
    say('booking');
    return mode === 'hangs' ? new Promise(() => {}) : 'booked';
  },
});
const clerk = new Agent({
  id: 'clerk',
  model: scriptedModel(({ prompt }) => {
    const results = prompt.filter(({ role }) => role === 'tool').length;
    return results === 2 ? 'Paid.' : { toolCalls: [{ toolName: results === 0 ? 'pay' : 'book', input: {} }] };
  }),
  tools: [pay, book],
});
const boss = new Agent({
  id: 'boss',
  durable: true,
  model: scriptedModel(({ prompt }) =>
    prompt.at(-1)?.role === 'tool'
      ? 'All done.'
      : { toolCalls: [{ toolName: 'ask_clerk', toolCallId: 'd1', input: { task: 'Pay' } }] },
  ),
  subAgents: [clerk],
});
const lend = createTool({
  name: 'lend',
  description: '',
  input: Type.Object({}),
  needsApproval: { approvers: ['kim'], expiryMs: 2_000, onExpire: { approvers: ['lee'], expiryMs: 2_000 } },
  execute: () => 'lent',
});
const lender = new Agent({
  id: 'lender',
  model: scriptedModel(({ prompt }) => {
    const last = prompt.at(-1);
    return last?.role === 'tool' ? JSON.stringify(last.content) : { toolCalls: [{ toolName: 'lend', input: {} }] };
  }),
  tools: [lend],
});
const leave = createWorkflow({ id: 'leave' }).andThen({
  id: 'ask',
  execute: ({ resumeData, suspend }) =>
    resumeData ??
    suspend('May I leave?', undefined, {
      approvers: ['kim'],
      expiryMs: 1_000,
      onExpire: { approvers: ['lee'], expiryMs: 3_600_000 },
    }),
});
const storage = createPostgresStorage({ connectionString });
const server = await createServer({
  agents: [boss, lender],
  workflows: [leave],
  memory: createMemory({ storage }),
  storage,
  leaseMs: 3_000,
  logger: false,
  secret: 'the same on every replica',
});
say(await server.listen({ port: 0 }));
