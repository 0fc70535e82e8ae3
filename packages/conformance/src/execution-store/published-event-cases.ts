import type {
  AwaitedEvent,
  ExecutionStore,
  NewPublishedEvent,
  Owner,
  Publication,
  Resumption,
} from '@halyard/contracts';
import { check, checkEqual, checkFound } from '../check.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { sampleSuspension } from './sample-records.ts';
import { begin, leaseMs, takeOver } from './test-runner.ts';
import { dueCount } from './what-is-due.ts';

const paid = { name: 'paid', key: 'o-1' };

/** Waits that the user of the execution may answer, too. */
const fromOwner = { ...paid, from: 'owner' } as const;

function waitFor(path: string, event: AwaitedEvent = paid) {
  return sampleSuspension(`wait ${path}`, path, { kind: 'event', event });
}

async function publish(
  store: ExecutionStore,
  id: string,
  { owner = 'anyone', ...values }: Partial<NewPublishedEvent> & { readonly owner?: Owner } = {},
): Promise<Publication> {
  return store.publish(owner, { id, ...paid, payload: { event: id }, requestId: id, ...values });
}

async function resumptionsOf(store: ExecutionStore, id = 'run'): Promise<readonly Resumption[]> {
  return checkFound(await store.find('anyone', id), `The execution ${id}`).resumptions;
}

function received(path: string, event: string): Resumption {
  return { path, suspensionId: `wait ${path}`, data: { event } };
}

export const publishedEventCases: readonly ExecutionStoreCase[] = [
  {
    name: 'answers each execution that waits for a published event, and makes it due at once',
    run: async ({ store }) => {
      for (const id of ['run', 'other']) {
        const runner = await begin(store, { id });
        await runner.suspend({ ...waitFor('pay'), executionId: id });
      }
      await (await begin(store, { id: 'elsewhere' })).suspend({ ...waitFor('pay', { name: 'paid', key: 'o-2' }) });
      await (await begin(store, { id: 'keyless' })).suspend({ ...waitFor('pay', { name: 'paid', key: null }) });
      const { deliveries, eventId } = await publish(store, 'e-1');
      checkEqual(eventId, 'e-1', 'The id of the event');
      checkEqual(
        deliveries.map(({ executionId }) => executionId).toSorted(),
        ['other', 'run'],
        'The executions that received it',
      );
      checkEqual(await resumptionsOf(store), [received('pay', 'e-1')], 'The answer');
      checkEqual(await resumptionsOf(store, 'elsewhere'), [], 'The answer for another key');
      checkEqual(await resumptionsOf(store, 'keyless'), [], 'The answer for a wait without a key');
      const row = checkFound(await store.find('anyone', 'run'), 'The execution');
      checkEqual([row.status, row.suspensions, row.signals], ['running', [], 1], 'The execution');
      checkEqual(await dueCount(store), 2, 'How many are due');
      await publish(store, 'e-2');
      checkEqual(await resumptionsOf(store), [received('pay', 'e-1')], 'The answer after another event');
    },
  },
  {
    name: 'answers a later wait with an event that was published after its execution was created',
    run: async ({ advance, store }) => {
      await publish(store, 'too early');
      await advance(1);
      const runner = await begin(store);
      const { deliveries } = await publish(store, 'e-1');
      checkEqual(deliveries, [], 'The executions that received it at once');
      await publish(store, 'e-2');
      await runner.suspend(waitFor('pay'));
      checkEqual(await resumptionsOf(store), [received('pay', 'e-1')], 'The answer');
      checkEqual(await dueCount(store), 1, 'How many are due');
      const next = await takeOver(store, 'run');
      checkEqual(next.signals, 1, 'The signals');
      await next.suspend(waitFor('ship'));
      checkEqual((await resumptionsOf(store)).at(-1), received('ship', 'e-2'), 'The answer for the next wait');
      const last = await takeOver(store, 'run');
      await last.suspend(waitFor('rest'));
      checkEqual((await resumptionsOf(store)).length, 2, 'The answers when all events were received');
    },
  },
  {
    name: 'tells the current runner of an event by the signals, and keeps its lease',
    run: async ({ store }) => {
      const runner = await begin(store);
      await publish(store, 'e-1');
      await runner.write({ suspensions: [waitFor('pay'), waitFor('ship')] });
      const row = checkFound(await store.find('anyone', 'run'), 'The execution');
      checkEqual([row.signals, row.runner, row.epoch], [1, 'a runner', runner.epoch], 'The execution');
      checkEqual(row.resumptions, [received('pay', 'e-1')], 'The answers');
      const release = { dueAt: null, expectedSignals: 0 };
      checkEqual((await store.commit(runner.commitOf({ release }))).status, 'signalled', 'A release');
      await publish(store, 'e-2');
      checkEqual(
        await resumptionsOf(store),
        [received('pay', 'e-1'), received('ship', 'e-2')],
        'The answers after another event',
      );
    },
  },
  {
    name: 'answers the earliest of several waits of an execution',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.suspend({ ...waitFor('b'), suspendedAt: 2_000 }, { ...waitFor('a'), suspendedAt: 1_000 });
      await publish(store, 'e-1');
      checkEqual(await resumptionsOf(store), [received('a', 'e-1')], 'The answers');
      await publish(store, 'e-2');
      checkEqual(await resumptionsOf(store), [received('a', 'e-1'), received('b', 'e-2')], 'The answers');
    },
  },
  {
    name: 'lets an execution receive an event again when the step that received it is rewound',
    run: async ({ store }) => {
      await (await begin(store)).suspend(waitFor('pay'));
      await publish(store, 'e-1');
      const runner = await takeOver(store, 'run');
      await runner.suspend(waitFor('ship'));
      const { seq, signals } = checkFound(await store.find('anyone', 'run'), 'The execution');
      const rewind = { executionId: 'run', expectedSeq: seq, expectedSignals: signals, entries: [] };
      checkEqual(await store.rewind('anyone', { ...rewind, paths: ['pay', 'ship'] }), 'rewound', 'The rewind');
      await publish(store, 'e-2');
      checkEqual(await resumptionsOf(store), [], 'The answers after the rewind');
      await (await takeOver(store, 'run')).suspend(waitFor('pay'));
      checkEqual(await resumptionsOf(store), [received('pay', 'e-1')], 'The answers after the step has run again');
    },
  },
  {
    name: 'forgets waits that were settled, and executions that ended',
    run: async ({ store }) => {
      const runner = await begin(store);
      await runner.write({ suspensions: [waitFor('pay'), waitFor('ship')] });
      await runner.write({ settled: ['pay'] });
      const other = await begin(store, { id: 'other' });
      await other.write({ suspensions: [{ ...waitFor('pay'), executionId: 'other' }] });
      await other.finish();
      await publish(store, 'e-1');
      checkEqual(await resumptionsOf(store), [received('ship', 'e-1')], 'The answers');
      checkEqual(await resumptionsOf(store, 'other'), [], 'The answers of one that has ended');
    },
  },
  {
    name: 'delivers the event of a user to executions of that user only, now and later',
    run: async ({ store }) => {
      const runners = new Map<string, Awaited<ReturnType<typeof begin>>>();
      for (const userId of ['ada', 'ben']) {
        runners.set(userId, await begin(store, { id: userId, userId }));
        await (await begin(store, { id: `${userId}-waits`, userId })).suspend({ ...waitFor('pay', fromOwner) });
      }
      await (await begin(store, { id: 'nobody' })).suspend(waitFor('pay', fromOwner));
      const { deliveries } = await publish(store, 'e-1', { owner: { user: 'ben' } });
      checkEqual(
        deliveries.map(({ executionId }) => executionId),
        ['ben-waits'],
        'The executions that received it',
      );
      for (const runner of runners.values()) await runner.suspend(waitFor('pay', fromOwner));
      for (const id of ['ada', 'ada-waits', 'nobody'])
        checkEqual(await resumptionsOf(store, id), [], `The answers of ${id}`);
      for (const id of ['ben', 'ben-waits'])
        checkEqual(await resumptionsOf(store, id), [received('pay', 'e-1')], `The answers of ${id}`);
    },
  },
  {
    name: 'delivers the event of a user only to waits that are from the owner, now and later',
    run: async ({ store }) => {
      const runner = await begin(store, { userId: 'ada' });
      const both = await begin(store, { id: 'both', userId: 'ada' });
      const early = { ...waitFor('early'), executionId: 'both', suspendedAt: 1_000 };
      const late = { ...waitFor('late', fromOwner), executionId: 'both', suspendedAt: 2_000 };
      await both.suspend(early, late);
      await (await begin(store, { id: 'closed', userId: 'ada' })).suspend({ ...waitFor('pay'), executionId: 'closed' });
      const { deliveries } = await publish(store, 'e-1', { owner: { user: 'ada' } });
      checkEqual(
        deliveries.map(({ executionId }) => executionId),
        ['both'],
        'The executions that received it',
      );
      checkEqual(await resumptionsOf(store, 'both'), [received('late', 'e-1')], 'The answers of two waits');
      checkEqual(await store.deliverPending(9), [], 'What is pending');
      await runner.suspend(waitFor('pay'), waitFor('ship', fromOwner));
      checkEqual(await resumptionsOf(store), [received('ship', 'e-1')], 'The answers of later waits');
      await publish(store, 'e-2');
      checkEqual(await resumptionsOf(store, 'closed'), [received('pay', 'e-2')], 'The answer by the app');
      checkEqual(
        await resumptionsOf(store),
        [received('ship', 'e-1'), received('pay', 'e-2')],
        'The answers after the event of the app',
      );
    },
  },
  {
    name: 'stores an event once for a repeated request of the same owner',
    run: async ({ store }) => {
      const repeated = { requestId: 'once' };
      const runner = await begin(store, { userId: 'ada' });
      checkEqual((await publish(store, 'e-1', repeated)).eventId, 'e-1', 'The first event');
      checkEqual((await publish(store, 'e-2', repeated)).eventId, 'e-1', 'The event of the repeated request');
      const ofUser = await publish(store, 'e-3', { ...repeated, owner: { user: 'ada' } });
      checkEqual(ofUser.eventId, 'e-3', 'The event of another owner with the same request id');
      await runner.write({ suspensions: [waitFor('a', fromOwner), waitFor('b', fromOwner), waitFor('c', fromOwner)] });
      checkEqual(await resumptionsOf(store), [received('a', 'e-1'), received('b', 'e-3')], 'The answers');
    },
  },
  {
    name: 'delivers each of many events that are published at once to each execution once',
    run: async ({ store }) => {
      const ids = ['run', 'second', 'third'];
      const runners = await Promise.all(ids.map((id) => begin(store, { id })));
      const paths = Array.from({ length: 12 }, (_, index) => `wait-${index}`);
      await Promise.all([
        ...paths.map((path) => publish(store, path)),
        ...runners.map(async (runner) => {
          for (const path of paths) await runner.write({ suspensions: [waitFor(path)] });
        }),
      ]);
      await store.deliverPending(99);
      for (const id of ids) {
        const events = (await resumptionsOf(store, id)).map(({ data }) => JSON.stringify(data));
        checkEqual(
          events.toSorted(),
          paths.map((path) => JSON.stringify({ event: path })).toSorted(),
          `The events that ${id} received`,
        );
      }
      checkEqual(await store.deliverPending(99), [], 'What is pending');
    },
  },
  {
    name: 'deletes at most as many old events as requested, whether or not executions are deleted',
    run: async ({ advance, store }) => {
      for (let index = 0; index < 5; index += 1) await publish(store, `e-${index}`);
      await advance(leaseMs);
      await publish(store, 'young');
      const purged: number[] = [];
      for (let call = 0; call < 4; call += 1) purged.push(await store.purgeEvents(leaseMs / 2, 2));
      checkEqual(purged, [2, 2, 1, 0], 'The numbers deleted');
    },
  },
  {
    name: 'deletes old events',
    run: async ({ advance, store }) => {
      const runner = await begin(store);
      await publish(store, 'e-1');
      await advance(leaseMs);
      await publish(store, 'e-2');
      checkEqual(await store.purge(leaseMs / 2, 9), 0, 'The number of executions deleted');
      checkEqual(await store.purgeEvents(Infinity, 9), 0, 'The number of events deleted when all are kept');
      checkEqual(await store.purgeEvents(leaseMs / 2, 9), 1, 'The number of events deleted');
      const next = await takeOver(store, 'run');
      check(next.epoch > runner.epoch, 'The execution should be claimed again');
      await next.suspend(waitFor('pay'));
      checkEqual(await resumptionsOf(store), [received('pay', 'e-2')], 'The answer');
    },
  },
  {
    name: 'stores that nobody has answered in time',
    run: async ({ store }) => {
      await (await begin(store)).suspend(waitFor('pay'));
      const late = { executionId: 'run', suspensionId: 'wait pay', data: null, requestId: 'late', isTimeout: true };
      checkEqual(await store.resume('anyone', { ...late, isTimeout: true }), 'resumed', 'The end of the wait');
      checkEqual((await publish(store, 'e-1')).deliveries, [], 'The executions that received the event');
      checkEqual(
        await resumptionsOf(store),
        [{ path: 'pay', suspensionId: 'wait pay', data: null, isTimeout: true }],
        'The answer',
      );
    },
  },
];
