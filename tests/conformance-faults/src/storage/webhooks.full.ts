import { webhookStoreCases } from '@halyard/conformance';
import type { Storage, WebhookDelivery, WebhookStore } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { type Fault, type FaultTable, faulty, wrappersOf } from '../faults.ts';
import { provesAllCases, settableClock } from '../proves-cases.ts';

const { dropping, passing, returning } = wrappersOf<WebhookStore>();

const without = (type: string): Fault<WebhookStore> =>
  returning('list', (deliveries) => deliveries.filter((one) => one.type !== type));
const changed = (change: (data: Record<string, unknown>) => object): Fault<WebhookStore> =>
  returning('list', (deliveries) => deliveries.map((one) => ({ ...one, data: change({ ...one.data }) })));

const invented: WebhookDelivery = {
  id: 'msg_1',
  position: 1,
  url: 'https://example.org/hooks',
  type: 'execution.completed',
  at: 0,
  data: {},
  status: 'pending',
  attempts: 0,
  dueAt: 0,
  attemptedAt: null,
  replyStatus: null,
  error: null,
};

const faults: FaultTable<Fault<WebhookStore>> = {
  'adds what happens to an execution, in order': [
    without('approval.settled'),
    changed(({ userId: _, ...data }) => data),
    changed((data) => ({ ...data, ...(data['approvalId'] !== undefined && { approvalId: 's' }) })),
    returning('list', (deliveries) => deliveries.toReversed()),
  ],
  'adds that nobody has answered in time, and with which outcome': [
    changed(({ expired: _, ...data }) => data),
    changed(({ answeredBy: _, ...data }) => data),
    changed((data) => ({ ...data, ...(data['approved'] !== undefined && { approved: true }) })),
  ],
  'adds nothing for the workflows of the framework': returning('list', (deliveries) => [...deliveries, invented]),
  'adds failures, quarantines and requests that nobody has to answer any more': [
    without('execution.failed'),
    without('execution.quarantined'),
    changed((data) => ({ ...data, ...(data['outcome'] !== undefined && { outcome: 'answered' }) })),
  ],
  // Each repeated commit adds its events again.
  'adds nothing for sub-workflows, waits for events and repeated calls': returning('list', (deliveries) => [
    ...deliveries,
    ...deliveries,
  ]),
  'adds the end of a durable reply': [
    without('answer.finished'),
    changed(({ agentId, ...data }) => ({ ...data, agentId: `answer:${String(agentId)}` })),
  ],
  'adds open approvals once in each round, and their use once': [
    without('approval.settled'),
    returning('list', (deliveries) => [...deliveries, ...deliveries]),
  ],
  'adds an event for each endpoint that wants it, while a server listens for it': [
    passing('listen', (endpoint) => [endpoint, Infinity]),
    passing('listen', ({ url }, forMs) => [{ url, events: ['execution.completed', 'execution.failed'] }, forMs]),
  ],
  'gives each due delivery to one caller, and again after its lease': [
    passing('take', (url, limit) => [url, limit, 0]),
    passing('take', (_, limit, leaseMs) => ['https://example.org/hooks', limit, leaseMs]),
    passing('take', (url, limit, leaseMs) => [url, limit, leaseMs * 2]),
  ],
  'records the end of an attempt, unless it was taken again': [
    () => ({ settle: async () => {} }),
    passing('settle', (taken, result) => [
      taken,
      result.status === 'pending' ? { ...result, status: 'failed' } : result,
    ]),
    passing('settle', ({ id, attempts }, result) => [
      { id, attempts: 'error' in result && result.error === 'late' ? attempts + 1 : attempts },
      result,
    ]),
  ],
  'adds nothing for a disabled endpoint until something is redelivered': [
    () => ({ disable: async () => {} }),
    returning('redeliver', () => true),
    returning('endpoints', (endpoints) => endpoints.map((one) => ({ ...one, disabledAt: null }))),
  ],
  'counts the tries of a redelivery from 1, and its attempts on': returning('take', (taken) =>
    taken.map((one) => ({ ...one, tries: one.attempts })),
  ),
  'lists the newest first, by endpoint and status, and continues before a position': [
    returning('list', (deliveries) => deliveries.toReversed()),
    dropping('list', 'url'),
    dropping('list', 'status'),
    dropping('list', 'before'),
    passing('list', (filter) => [{ ...filter, limit: 50 }]),
  ],
  'purges the deliveries of old events, at most as many as requested': [
    () => ({ purge: async () => 0 }),
    passing('purge', (olderThanMs) => [olderThanMs, 50]),
    passing('purge', (_, limit) => [0, limit]),
  ],
  // Deletes also those about a user whose id differs in its case.
  'deletes the deliveries about a user with the data of the user': returning('list', (deliveries) =>
    deliveries.filter(({ data }) => data.userId?.toLowerCase() !== 'ada'),
  ),
};

provesAllCases(webhookStoreCases, [faults], (fault) => {
  const clock = settableClock();
  const storage: Storage = createInMemoryStorage({ clock });
  const { webhooks } = storage;
  if (webhooks === undefined) throw new TypeError('The storage has no webhooks');
  return { storage: { ...storage, webhooks: faulty(webhooks, fault(webhooks)) }, ...clock };
});
