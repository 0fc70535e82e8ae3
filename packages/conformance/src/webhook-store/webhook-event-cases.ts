import { cutText, type OpenApproval, type ResumeRequest, webhookEventTypes } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import { sampleSuspension } from '../execution-store/sample-records.ts';
import { begin, leaseMs, takeOver } from '../execution-store/test-runner.ts';
import { hostileText, unstorableText } from '../sample-values.ts';
import { complete, deliveries, hour, listen, longMs, sorted, told, url } from './webhook-samples.ts';
import type { WebhookStoreCase } from './webhook-store-harness.ts';

/** Which events a storage adds. */
export const webhookEventCases: readonly WebhookStoreCase[] = [
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
        data: { approved: true, reason: `${unstorableText}${'x'.repeat(2_000)}` },
        resumedBy: hostileText,
        requestId: 'r',
      });
      await (await takeOver(storage.executions, 'run')).finish();
      const ids = { executionId: 'run', workflowId: 'orders', conversationId: hostileText, userId: unstorableText };
      checkEqual(
        await told(storage),
        [
          ['approval.requested', { ...ids, approvalId: 'id-1@x' }],
          ['execution.suspended', ids],
          [
            'approval.settled',
            {
              ...ids,
              approvalId: 'id-1@x',
              outcome: 'answered',
              approved: true,
              answeredBy: hostileText,
              reason: cutText(`${unstorableText}${'x'.repeat(2_000)}`, 1_000),
            },
          ],
          ['execution.completed', ids],
        ],
        'The events',
      );
    },
  },
  {
    name: 'adds that nobody has answered in time, and with which outcome',
    run: async ({ storage }) => {
      await listen(storage);
      const { executions } = storage;
      const settle = async (id: string, resume: Partial<ResumeRequest>): Promise<void> => {
        await (await begin(executions, { id })).suspend(sampleSuspension(id, 'a', { executionId: id }));
        const request = { executionId: id, suspensionId: id, data: null, requestId: id, ...resume };
        await executions.resume('anyone', request);
      };
      await settle('denied', { data: { approved: false, reason: 'late' }, isExpired: true });
      await settle('failed', { isTimeout: true });
      await settle('other', { data: { pages: 3 }, resumedBy: 'ada' });
      const settled = (await told(storage)).flatMap(([type, data]) => (type === 'approval.settled' ? [data] : []));
      const of = (id: string) => ({ executionId: id, workflowId: 'orders', approvalId: id, outcome: 'answered' });
      checkEqual(
        settled,
        [
          { ...of('denied'), approved: false, reason: 'late', expired: true },
          { ...of('failed'), expired: true },
          { ...of('other'), answeredBy: 'ada' },
        ],
        'The settled requests',
      );
    },
  },
  {
    name: 'adds nothing for the workflows of the framework',
    run: async ({ storage }) => {
      await listen(storage);
      await (await begin(storage.executions, { workflowId: 'halyard:approval-expiry' })).finish();
      checkEqual(await told(storage), [], 'The events');
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
    name: 'adds open approvals once in each round, and their use once',
    run: async ({ now, storage }) => {
      await listen(storage);
      const request = openApproval(now());
      await storage.approvals.open(request);
      await storage.approvals.open(request);
      await storage.approvals.open({ ...request, round: 1 });
      await storage.approvals.open({ ...request, round: 1 });
      const decision = { approved: false, answeredBy: hostileText, reason: unstorableText };
      await Promise.all([1, 2, 3].map(() => storage.approvals.consume('a', request.expiresAt, decision)));
      await storage.approvals.consume('without rules', request.expiresAt);
      // The work of sub-agents is no request to anybody.
      await storage.approvals.open({ ...request, id: 'work', delegation: {} });
      await storage.approvals.open({ ...request, id: 'granted', grant: {} });
      await storage.approvals.consume('granted', request.expiresAt);
      const ids = { agentId: 'clerk', approvalId: 'a', conversationId: hostileText, userId: unstorableText };
      checkEqual(
        await told(storage),
        [
          ['approval.requested', ids],
          ['approval.requested', ids],
          ['approval.settled', { ...ids, outcome: 'answered', ...decision }],
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
        sorted(list),
        sorted([
          [other, 'execution.failed'],
          [url, 'execution.completed'],
          [url, 'execution.failed'],
        ]),
        'The deliveries',
      );
    },
  },
];

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
