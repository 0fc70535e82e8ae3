import { createPostgresStorage } from '@halyard/memory-postgres';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createServerDatabase,
  type ServerDatabase,
} from '../../../../../memory-postgres/src/testing/server-database.ts';
import { RefundServer, refunds } from '../../../testing/granted-refunds.ts';

let database: ServerDatabase;
let closing: (() => Promise<void>)[];
beforeEach(async () => {
  refunds.length = 0;
  closing = [];
  database = await createServerDatabase();
});
afterEach(async () => {
  for (const close of closing) await close();
  await database.remove();
});

async function start(): Promise<RefundServer> {
  const storage = createPostgresStorage({ connectionString: database.connectionString });
  const server = await RefundServer.start(storage);
  closing.push(async () => {
    await server.served.close();
    await storage.close();
  });
  return server;
}

it('is valid at other replicas, also after the one that stored it has ended, until it is revoked', async () => {
  const [one, other] = [await start(), await start()];
  await one.chat('refund 400', { agent: 'boss' });
  expect(await other.always('kim:manager', 'tool')).toMatchObject({ status: 200 });
  await expect.poll(() => refunds, { timeout: 60_000 }).toEqual([['ada', 400]]);
  await one.send('/workflows/buy/execute', 'ada', { input: { say: 'refund 500' } });
  expect(refunds).toHaveLength(2);

  await closing.pop()?.();
  const third = await start();
  await third.chat('refund 450', { conversationId: 'c2' });
  expect(refunds).toHaveLength(3);
  const { id } = await third.granted();
  const revoked = await Promise.all([one, third, one].map((server) => server.revoke(id, 'ada')));
  expect(revoked.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
  for (const [index, server] of [one, third].entries())
    await server.chat('refund 350', { conversationId: `d${index}` });
  expect(refunds).toHaveLength(3);
  expect(await one.waiting()).toHaveLength(2);
});

it('is deleted with the user, and exists once for an answer that two replicas get', async () => {
  const [one, other] = [await start(), await start()];
  await one.chat('refund 100');
  const asked = await one.asked();
  const body = { approved: true, always: { scope: 'conversation' } };
  const servers = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? one : other));
  const replies = await Promise.all(servers.map((server) => server.answerTo(asked, 'ada', body)));
  // A response that comes while another one is accepted, is refused in one way or the other.
  expect(replies.map(({ status }) => status).filter((status) => ![400, 404].includes(status))).toEqual([200]);
  await expect.poll(() => other.grants()).toHaveLength(1);
  await one.send('/api/memory/users/ada', 'ada', undefined, 'DELETE');
  expect(await other.grants()).toEqual([]);
});
