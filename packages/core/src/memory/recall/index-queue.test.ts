import { expect, it } from 'vitest';
import { type IndexJob, IndexQueue } from './index-queue.ts';

/** A job for the message `ada1` of `ada`. */
const job = (messageId: string, failures = 0): IndexJob => {
  const userId = messageId.replace(/\d+$/, '');
  return { userId, conversationId: `of-${userId}`, messageId, failures };
};

const idsOf = (jobs: readonly IndexJob[]): readonly unknown[] => jobs.map(({ messageId }) => messageId);

function queueOf(limit: number, ids: readonly string[]): IndexQueue {
  const queue = new IndexQueue(limit);
  for (const id of ids) expect(queue.add(job(id))).toBeUndefined();
  return queue;
}

it('lets users take turns', () => {
  const queue = queueOf(10, ['ada1', 'ada2', 'ada3', 'ada4', 'bob1', 'bob2', 'eve1']);
  expect(idsOf(queue.take(4))).toEqual(['ada1', 'bob1', 'eve1', 'ada2']);
  expect(idsOf(queue.take(4))).toEqual(['bob2', 'ada3', 'ada4']);
  expect(queue.take(4)).toEqual([]);
  expect(queue.size).toBe(0);
});

it('contains each job once', () => {
  const queue = queueOf(10, ['ada1', 'ada1']);
  expect(idsOf(queue.take(4))).toEqual(['ada1']);
  queue.add(job('ada1'));
  expect(idsOf(queue.take(4))).toEqual(['ada1']);
});

it('drops the newest job of the user who has the most when it is full', () => {
  const queue = queueOf(4, ['ada1', 'ada2', 'ada3', 'bob1']);
  expect(queue.add(job('eve1'))).toMatchObject({ messageId: 'ada3' });
  expect(queue.add(job('ada4'))).toMatchObject({ messageId: 'ada4' });
  expect(queue.add(job('ada3'))).toMatchObject({ messageId: 'ada3' });
  expect(queue.add(job('bob2'))).toMatchObject({ userId: expect.stringMatching(/ada|bob/) });
  expect(queue.size).toBe(4);
  expect(idsOf(queue.take(10))).toEqual(expect.arrayContaining(['ada1', 'bob1', 'eve1']));
});

it('counts jobs that have failed, and drops none of them', () => {
  const queue = queueOf(2, ['ada1', 'ada2']);
  for (const failed of queue.take(2)) queue.retryLater(failed);
  expect(queue.add(job('bob1'))).toMatchObject({ messageId: 'bob1' });
  expect(queue.add(job('ada1'))).toBeUndefined();
  queue.retryFailed();
  expect(idsOf(queue.take(2))).toEqual(['ada1', 'ada2']);
});

it('takes a conversation alone, and jobs that have failed equally often together', () => {
  const queue = new IndexQueue(10);
  queue.add(job('ada1', 1));
  queue.add({ userId: 'bob', conversationId: 'c', messageId: undefined, failures: 0 });
  queue.add(job('eve1'));
  queue.add(job('ada2', 1));
  queue.add(job('zoe1'));
  expect(idsOf(queue.take(16))).toEqual(['ada1', 'ada2']);
  expect(idsOf(queue.take(16))).toEqual([undefined]);
  expect(idsOf(queue.take(16))).toEqual(['eve1', 'zoe1']);
});

it('distinguishes a conversation, its rest, and its messages', () => {
  const queue = new IndexQueue(10);
  const whole = { userId: 'ada', conversationId: 'c1', messageId: undefined, failures: 0 };
  const jobs = [whole, { ...whole, before: 5 }, { ...whole, before: 6 }, { ...whole, messageId: 'm1' }];
  for (const one of [...jobs, ...jobs]) expect(queue.add({ ...one })).toBeUndefined();
  queue.add({ ...whole, conversationId: 'c2' });
  expect(queue.size).toBe(5);
});

it('gives all jobs without a user one turn', () => {
  const queue = new IndexQueue(10);
  for (const messageId of ['x1', 'x2']) queue.add({ userId: undefined, conversationId: 'c', messageId, failures: 0 });
  queue.add(job('ada1'));
  expect(idsOf(queue.take(10))).toEqual(['x1', 'ada1', 'x2']);
});

it('retries a failed job in the next pass only, once, unless it was added again', () => {
  const queue = queueOf(10, ['ada1', 'ada2']);
  expect(queue.isWaiting).toBe(true);
  const [first, second] = queue.take(2);
  if (first === undefined || second === undefined) throw new Error('two jobs expected');
  expect([queue.isWaiting, queue.size]).toEqual([false, 0]);
  queue.add(job('ada1'));
  queue.retryLater(first);
  queue.retryLater(second);
  queue.retryLater(second);
  expect([queue.isWaiting, queue.size]).toEqual([true, 2]);
  expect(idsOf(queue.take(5))).toEqual(['ada1']);
  queue.retryFailed();
  queue.retryFailed();
  expect(idsOf(queue.take(5))).toEqual(['ada2']);
});

it('forgets the failure of a job that is added again', () => {
  const queue = queueOf(10, ['ada1']);
  for (const failed of queue.take(1)) queue.retryLater({ ...failed, failures: 3 });
  queue.add(job('ada1'));
  queue.retryFailed();
  expect(queue.size).toBe(1);
  expect(queue.take(5)).toEqual([job('ada1')]);
});

it('takes an eighth of a batch for each failure, one job at least', () => {
  const sizeAfter = (failures: number, limit: number): number => {
    const queue = new IndexQueue(100);
    for (let index = 0; index < 80; index += 1) queue.add(job(`ada${index}`, failures));
    return queue.take(limit).length;
  };
  expect([sizeAfter(0, 64), sizeAfter(1, 64), sizeAfter(2, 64), sizeAfter(3, 64), sizeAfter(1, 70)]).toEqual([
    64, 8, 1, 1, 8,
  ]);
});

it('takes a conversation not together with messages', () => {
  const queue = queueOf(10, ['ada1']);
  queue.add({ userId: 'ada', conversationId: 'c', messageId: undefined, failures: 0 });
  queue.add({ userId: 'bob', conversationId: 'd', messageId: undefined, failures: 0 });
  expect([queue.take(9), queue.take(9), queue.take(9)].map((jobs) => jobs.length)).toEqual([1, 1, 1]);
});
