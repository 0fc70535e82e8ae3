import {
  type OpenApproval,
  type WebhookDelivery,
  type WebhookEventType,
  webhookEventTypes,
  type WebhookFilter,
} from '@halyard/contracts';
import { checkEqual, checkFound } from '../check.ts';
import { sampleSuspension } from '../execution-store/sample-records.ts';
import { begin, leaseMs, takeOver } from '../execution-store/test-runner.ts';
import { hostileText, unstorableText } from '../sample-values.ts';
import type { WebhookStoreCase, WebhookStoreHarness } from './webhook-store-harness.ts';

type Stores = WebhookStoreHarness['storage'];

const url = 'https://example.org/hooks';
const hour = 3_600_000;
/** Longer than any case takes. */
const longMs = 24 * hour;

/** The cases of every store of webhooks. */
export const webhookStoreCases: readonly WebhookStoreCase[] = [
  {
    name: 'adds what happens to an execution, in order',
    run: async ({ storage }) => {
      await listen(storage);
      const runner = await begin(storage.executions, { conversationId: hostileText, userId: unstorableText });
      const asking = sampleSuspension('s', 'approve', { kind: 'approval', data: { approvalId: 'id-1@x' } });
      await runner.suspend(asking);
      await storage.executions.resume('anyone', {
        executionId: 'run',
        suspensionId: 's',
        data: { approved: true },
        requestId: 'r',
      });
      await (await takeOver(storage.executions, 'run')).finish();
      const ids = { executionId: 'run', workflowId: 'orders', conversationId: hostileText, userId: unstorableText };
      checkEqual(
        await told(storage),
        [
          ['approval.requested', { ...ids, approvalId: 'id-1@x' }],
          ['execution.suspended', ids],
          ['approval.settled', { ...ids, approvalId: 'id-1@x', outcome: 'answered' }],
          ['execution.completed', ids],
        ],
        'The events',
      );
    },
  },
  {
    name: 'adds failures, quarantines and requests that nobody has to answer any more',
    run: async ({ advance, storage }) => {
      await listen(storage);
      const { executions } = storage;
      await (await begin(executions, { id: 'fails' })).write({ changes: [{ status: 'error' }] });
      await (await begin(executions, { id: 'ends' })).suspend(sampleSuspension('s', 'a', { executionId: 'ends' }));
      await executions.terminate('anyone', 'ends', {});
      await begin(executions, { id: 'lost' });
      await advance(leaseMs);
      const suspension = sampleSuspension('q', '#request', { executionId: 'lost', kind: 'request' });
      await executions.quarantine('lost', { minClaims: 1, suspension, events: [] });
      const of = (executionId: string) => ({ executionId, workflowId: 'orders' });
      checkEqual(
        await told(storage),
        [
          ['execution.failed', of('fails')],
          ['approval.requested', { ...of('ends'), approvalId: 's' }],
          ['execution.suspended', of('ends')],
          ['approval.settled', { ...of('ends'), approvalId: 's', outcome: 'withdrawn' }],
          ['execution.quarantined', of('lost')],
        ],
        'The events',
      );
    },
  },
  {
    name: 'adds nothing for sub-workflows, waits for events and repeated calls',
    run: async ({ storage }) => {
      await listen(storage);
      const runner = await begin(storage.executions);
      const commit = runner.commitOf({
        changes: [
          {
            id: 'child',
            created: {
              workflowId: 'part',
              workflowName: 'Part',
              input: null,
              context: {},
              workflowState: {},
              metadata: {},
              parentExecutionId: 'run',
              path: 'part',
            },
            status: 'completed',
          },
        ],
      });
      await storage.executions.commit(commit);
      await storage.executions.commit(commit);
      checkEqual(await told(storage), [], 'The events of a sub-workflow');
      const event = { name: 'paid', key: null };
      const last = runner.commitOf({
        expectedSeq: runner.seq,
        changes: [{ status: 'suspended' }],
        suspensions: [sampleSuspension('e', 'paid', { kind: 'event', event })],
        release: { dueAt: null, expectedSignals: runner.signals },
      });
      await storage.executions.commit(last);
      await storage.executions.commit(last);
      checkEqual(
        (await told(storage)).map(([type]) => type),
        ['execution.suspended'],
        'The events of a wait for an event',
      );
    },
  },
  {
    name: 'adds the end of a durable reply',
    run: async ({ storage }) => {
      await listen(storage);
      await (await begin(storage.executions, { workflowId: 'answer:clerk', conversationId: 'c' })).finish();
      const data = { agentId: 'clerk', conversationId: 'c', executionId: 'run', outcome: 'completed' };
      checkEqual(await told(storage), [['answer.finished', data]], 'The events');
    },
  },
  {
    name: 'adds open approvals once, and their use once',
    run: async ({ now, storage }) => {
      await listen(storage);
      const request = openApproval(now());
      await storage.approvals.open(request);
      await storage.approvals.open(request);
      await Promise.all([1, 2, 3].map(() => storage.approvals.consume('a', request.expiresAt)));
      await storage.approvals.consume('without rules', request.expiresAt);
      const ids = { agentId: 'clerk', approvalId: 'a', conversationId: hostileText, userId: unstorableText };
      checkEqual(
        await told(storage),
        [
          ['approval.requested', ids],
          ['approval.settled', { ...ids, outcome: 'answered' }],
        ],
        'The events',
      );
    },
  },
  {
    name: 'adds an event for each endpoint that wants it, while a server listens for it',
    run: async ({ advance, storage }) => {
      const other = 'https://example.org/failures';
      await listen(storage);
      await storage.webhooks.listen({ url: other, events: ['execution.completed'] }, longMs);
      await storage.webhooks.listen({ url: other, events: ['execution.failed'] }, longMs);
      await storage.webhooks.listen({ url: 'https://example.org/old', events: [...webhookEventTypes] }, hour);
      await advance(2 * hour);
      await complete(storage, 'a');
      await (await begin(storage.executions, { id: 'b' })).write({ changes: [{ status: 'error' }] });
      const list = (await deliveries(storage)).map((one) => [one.url, one.type]);
      checkEqual(
        list.toSorted(),
        [
          [other, 'execution.failed'],
          [url, 'execution.completed'],
          [url, 'execution.failed'],
        ],
        'The deliveries',
      );
    },
  },
  {
    name: 'gives each due delivery to one caller, and again after its lease',
    run: async ({ advance, storage }) => {
      const { webhooks } = storage;
      await listen(storage);
      for (const id of ['a', 'b', 'c']) await complete(storage, id);
      checkEqual(await webhooks.take('https://example.org', 9, hour), [], 'The deliveries of another endpoint');
      const [first, second, third] = await Promise.all([1, 2, 3].map(() => webhooks.take(url, 2, hour)));
      const taken = [first, second, third].flatMap((part) => part ?? []);
      checkEqual(taken.map(({ data }) => data.executionId).toSorted(), ['a', 'b', 'c'], 'The deliveries');
      checkEqual(await webhooks.take(url, 9, hour), [], 'The deliveries during their leases');
      await advance(hour);
      const again = await webhooks.take(url, 9, hour);
      checkEqual(
        again.map(({ attempts, data, id, tries }) => [id, data.executionId, attempts, tries]).toSorted(),
        taken.map(({ data, id }) => [id, data.executionId, 2, 2]).toSorted(),
        'The deliveries after their leases',
      );
    },
  },
  {
    name: 'records the end of an attempt, unless it was taken again',
    run: async ({ advance, now, storage }) => {
      const { webhooks } = storage;
      await listen(storage);
      await complete(storage, 'a');
      const taken = checkFound((await webhooks.take(url, 1, hour))[0], 'The delivery');
      await webhooks.settle(taken, { status: 'pending', replyStatus: 500, error: hostileText, dueInMs: 2 * hour });
      const waiting = checkFound((await deliveries(storage))[0], 'The delivery');
      const isDue = Math.abs((waiting.dueAt ?? 0) - now() - 2 * hour) < hour / 2;
      checkEqual(
        [waiting.status, waiting.replyStatus, waiting.error, isDue],
        ['pending', 500, hostileText, true],
        'The delivery that waits',
      );
      checkEqual(await webhooks.take(url, 1, hour), [], 'What is due before its time');
      await advance(2 * hour);
      const last = checkFound((await webhooks.take(url, 1, hour))[0], 'The delivery');
      await webhooks.settle(taken, { status: 'failed', replyStatus: null, error: 'late' });
      checkEqual((await deliveries(storage))[0]?.status, 'pending', 'The status after an outdated result');
      await webhooks.settle(last, { status: 'delivered', replyStatus: 204 });
      await webhooks.settle(last, { status: 'failed', replyStatus: null, error: 'twice' });
      const { at: _, attemptedAt, position: __, ...done } = checkFound((await deliveries(storage))[0], 'The delivery');
      checkEqual(typeof attemptedAt, 'number', 'The type of the time of the attempt');
      checkEqual(
        done,
        {
          id: taken.id,
          url,
          type: 'execution.completed',
          data: { executionId: 'a', workflowId: 'orders' },
          status: 'delivered',
          attempts: 2,
          dueAt: null,
          replyStatus: 204,
          error: null,
        },
        'The delivery',
      );
    },
  },
  {
    name: 'adds nothing for a disabled endpoint until something is redelivered',
    run: async ({ storage }) => {
      const { webhooks } = storage;
      await listen(storage);
      await complete(storage, 'a');
      await webhooks.disable(url);
      await listen(storage);
      await complete(storage, 'b');
      const [only, ...others] = await deliveries(storage);
      checkEqual([only?.status, only?.dueAt, others], ['failed', null, []], 'The deliveries');
      checkEqual(
        (await webhooks.endpoints()).map((one) => [one.url, one.disabledAt === null]),
        [[url, false]],
        'Endpoints',
      );
      checkEqual(await webhooks.redeliver('unknown'), false, 'Whether an unknown delivery exists');
      checkEqual(await webhooks.redeliver(only?.id ?? ''), true, 'Whether the delivery exists');
      checkEqual(
        (await webhooks.endpoints()).map((one) => one.disabledAt),
        [null],
        'When it was disabled',
      );
      await complete(storage, 'c');
      const ids = (await webhooks.take(url, 9, hour)).map(({ data }) => data.executionId);
      checkEqual(ids.toSorted(), ['a', 'c'], 'The deliveries');
    },
  },
  {
    name: 'counts the tries of a redelivery from 1, and its attempts on',
    run: async ({ advance, storage }) => {
      const { webhooks } = storage;
      await listen(storage);
      await complete(storage, 'a');
      const first = checkFound((await webhooks.take(url, 1, hour))[0], 'The delivery');
      await advance(hour);
      await webhooks.settle(checkFound((await webhooks.take(url, 1, hour))[0], 'The delivery'), {
        status: 'delivered',
        replyStatus: 200,
      });
      await webhooks.redeliver(first.id);
      const again = checkFound((await webhooks.take(url, 1, hour))[0], 'The delivery');
      checkEqual([again.id, again.tries, again.attempts], [first.id, 1, 3], 'The delivery');
      await webhooks.settle(first, { status: 'failed', replyStatus: null, error: 'late' });
      checkEqual((await deliveries(storage))[0]?.status, 'pending', 'The status after an outdated result');
    },
  },
  {
    name: 'lists the newest first, by endpoint and status, and continues before a position',
    run: async ({ storage }) => {
      const { webhooks } = storage;
      await listen(storage);
      for (const id of ['a', 'b', 'c', 'd']) await complete(storage, id);
      const [taken] = await webhooks.take(url, 1, hour);
      if (taken !== undefined) await webhooks.settle(taken, { status: 'failed', replyStatus: 404, error: 'Not found' });
      const names = async (filter: Partial<WebhookFilter>) =>
        (await deliveries(storage, filter)).map(({ data }) => data.executionId);
      checkEqual(await names({}), ['d', 'c', 'b', 'a'], 'The deliveries');
      checkEqual(await names({ status: 'pending' }), ['d', 'c', 'b'], 'The pending ones');
      checkEqual(await names({ status: 'failed', url }), ['a'], 'The failed one');
      checkEqual(await names({ url: 'https://example.org' }), [], 'Those of another endpoint');
      const [, second] = await deliveries(storage, { limit: 2 });
      checkEqual(await names({ before: second?.position, limit: 1 }), ['b'], 'The next page');
    },
  },
  {
    name: 'purges the deliveries of old events, at most as many as requested',
    run: async ({ advance, storage }) => {
      const { webhooks } = storage;
      await listen(storage);
      for (const id of ['a', 'b', 'c']) await complete(storage, id);
      await advance(hour);
      await complete(storage, 'd');
      checkEqual([await webhooks.purge(hour / 2, 2), await webhooks.purge(hour / 2, 9)], [2, 1], 'How many it deletes');
      const left = (await deliveries(storage)).map(({ data }) => data.executionId);
      checkEqual(left, ['d'], 'The deliveries that remain');
    },
  },
  {
    name: 'deletes the deliveries about a user with the data of the user',
    run: async ({ storage }) => {
      await listen(storage);
      for (const userId of ['ada', 'Ada', undefined])
        await (await begin(storage.executions, { id: `of-${userId}`, userId })).finish();
      await storage.users.delete('ada');
      const left = (await deliveries(storage)).map(({ data }) => data.executionId);
      checkEqual(left, ['of-undefined', 'of-Ada'], 'The deliveries that remain');
    },
  },
];

function listen({ webhooks }: Stores): Promise<void> {
  return webhooks.listen({ url, events: [...webhookEventTypes] }, longMs);
}

async function complete({ executions }: Stores, id: string): Promise<void> {
  await (await begin(executions, { id })).finish();
}

function deliveries({ webhooks }: Stores, filter: Partial<WebhookFilter> = {}): Promise<readonly WebhookDelivery[]> {
  return webhooks.list({ limit: 50, ...filter });
}

/** The types and the data of all events, the earliest first. */
async function told(storage: Stores): Promise<readonly (readonly [WebhookEventType, object])[]> {
  return (await deliveries(storage)).map(({ data, type }) => [type, data] as const).toReversed();
}

function openApproval(now: number): OpenApproval {
  return {
    id: 'a',
    agentId: 'clerk',
    conversationId: hostileText,
    userId: unstorableText,
    user: undefined,
    rules: { approvers: ['role:manager'], tenantId: null },
    createdAt: now,
    expiresAt: now + hour,
  };
}
