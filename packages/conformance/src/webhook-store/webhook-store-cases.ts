import type { WebhookFilter } from '@halyard/contracts';
import { checkEqual, checkFound } from '../check.ts';
import { begin } from '../execution-store/test-runner.ts';
import { hostileText } from '../sample-values.ts';
import { webhookEventCases } from './webhook-event-cases.ts';
import { complete, deliveries, hour, listen, sorted, url } from './webhook-samples.ts';
import type { WebhookStoreCase } from './webhook-store-harness.ts';

/** The cases of every store of webhooks. */
export const webhookStoreCases: readonly WebhookStoreCase[] = [
  ...webhookEventCases,
  {
    name: 'gives each due delivery to one caller, and again after its lease',
    run: async ({ advance, storage }) => {
      const { webhooks } = storage;
      await listen(storage);
      for (const id of ['a', 'b', 'c']) await complete(storage, id);
      checkEqual(await webhooks.take('https://example.org', 9, hour), [], 'The deliveries of another endpoint');
      const [first, second, third] = await Promise.all([1, 2, 3].map(() => webhooks.take(url, 2, hour)));
      const taken = [first, second, third].flatMap((part) => part ?? []);
      checkEqual(sorted(taken.map(({ data }) => data.executionId)), sorted(['a', 'b', 'c']), 'The deliveries');
      checkEqual(await webhooks.take(url, 9, hour), [], 'The deliveries during their leases');
      await advance(hour);
      const again = await webhooks.take(url, 9, hour);
      checkEqual(
        sorted(again.map(({ attempts, data, id, tries }) => [id, data.executionId, attempts, tries])),
        sorted(taken.map(({ data, id }) => [id, data.executionId, 2, 2])),
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
      checkEqual(sorted(ids), sorted(['a', 'c']), 'The deliveries');
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
