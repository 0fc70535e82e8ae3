/**
 * One replica, in its own process, of a shop whose support asks a manager before it pays back. The
 * argument is its settings as JSON. Sends its address and each refund to its parent, and a link for
 * each request that it gets from it.
 */
import { Agent, createMemory, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { Type } from '@sinclair/typebox';
import { createServer } from '../create-server.ts';

export interface RefundReplicaSettings {
  readonly connectionString: string;
  readonly port: number;
  /** The time by which its clock is ahead: the parent shifts `Date`. */
  readonly shiftMs: number;
  readonly webhook: { readonly url: string; readonly secret: string };
}

export type FromReplica =
  | { readonly type: 'address'; readonly origin: string }
  | { readonly type: 'refund'; readonly euros: number; readonly key: string | undefined }
  | { readonly type: 'link'; readonly link: string };

const { connectionString, port, shiftMs, webhook } = JSON.parse(process.argv[2] ?? '') as RefundReplicaSettings;
const tell = (message: FromReplica): unknown => process.send?.(message);
const dayMs = 86_400_000;

const refund = createTool({
  name: 'refund',
  description: 'Pays money back',
  input: Type.Object({ euros: Type.Number({ minimum: 0, maximum: 500 }), order: Type.String() }),
  needsApproval: { approvers: ['role:manager'], notRequester: true, expiryMs: 7 * dayMs },
  execute: ({ euros }, { idempotencyKey }) => {
    tell({ type: 'refund', euros, key: idempotencyKey });
    return { paidBack: euros };
  },
});
const accounts = new Agent({
  id: 'accounts',
  model: scriptedModel(({ prompt }) => {
    const last = prompt.at(-1);
    if (last?.role !== 'tool') return { toolCalls: [{ toolName: 'refund', input: { euros: 40, order: '17' } }] };
    return `Paid back: € ${/paidBack\W+(\d+)/.exec(JSON.stringify(last.content))?.[1]}`;
  }),
  tools: [refund],
});
const support = new Agent({
  id: 'support',
  durable: true,
  model: scriptedModel(({ prompt }) => {
    const last = prompt.at(-1);
    if (last?.role !== 'tool')
      return { toolCalls: [{ toolName: 'ask_accounts', input: { task: 'Pay back order 17' } }] };
    return `Your money is on its way: ${/€ \d+/.exec(JSON.stringify(last.content))?.[0]}.`;
  }),
  subAgents: [accounts],
});
const storage = createPostgresStorage({ connectionString, clockShiftMs: () => shiftMs });
const server = await createServer({
  agents: [support],
  memory: createMemory({ storage }),
  storage,
  auth: {
    consoleKey: 'the key of the console',
    provider: {
      type: 'names',
      verifyToken: (id: string) => ({ id, roles: id === 'grace' ? ['manager'] : [], tenantId: 'shop' }),
    },
  },
  webhooks: [{ ...webhook, events: ['approval.requested', 'approval.settled'], allowPrivateAddresses: true }],
  publicUrl: `http://127.0.0.1:${port}`,
  leaseMs: 3_000,
  logger: 'error',
  secret: 'the same on every replica',
});
tell({ type: 'address', origin: await server.listen({ port }) });
process.on('message', (request: { readonly id: string; readonly conversationId: string }) => {
  const to = { id: 'grace', roles: ['manager'], tenantId: 'shop' };
  void server.approvals.link(request, { to, expiryMs: dayMs }).then((link) => tell({ type: 'link', link }));
});
