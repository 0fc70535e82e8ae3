import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createServerDatabase } from '../../memory-postgres/src/testing/server-database.ts';
import { ask } from '../../server-fastify/src/testing/memory.ts';
import { askIn, read, reconnectTo, textOf } from '../../server-fastify/src/testing/resumable.ts';
import { freePorts, RestateServer } from './testing/restate-server.ts';
import { startServerProcess } from './testing/server-process.ts';
import { LoadBalancer } from './testing/worker-process.ts';

const whole = 'Now first. Now second. Both are done.';
const asking = { agent: 'researcher', options: {} };

it('continues a durable chat whose process is killed, for all that follow it, and repeats no recorded call', async () => {
  const closing: (() => Promise<unknown>)[] = [];
  onTestFinished(async () => {
    for (const close of closing.toReversed()) await close();
  });
  const restate = await RestateServer.start();
  closing.push(() => restate.close());
  const database = await createServerDatabase();
  closing.push(() => database.remove());
  const directory = mkdtempSync(join(tmpdir(), 'halyard-chats-'));
  closing.push(async () => rmSync(directory, { recursive: true, force: true }));
  const [deployment, firstPort, secondPort] = await freePorts();
  const balancer = await LoadBalancer.start(deployment, [firstPort]);
  closing.push(async () => balancer.close());
  const start = (port: number) => {
    const args = [database.connectionString, directory, restate.ingress, `${port}`];
    return startServerProcess(new URL('testing/chat-server.ts', import.meta.url), args, closing);
  };
  const calls = (): string => readFileSync(join(directory, 'calls.log'), 'utf8');

  const first = await start(firstPort);
  await restate.register(deployment);
  const second = await start(secondPort);
  const [own, other] = [{ origin: first.url }, { origin: second.url }];
  const cut = read(await askIn('cut', own, asking)).catch(() => undefined);
  const asked = read(await askIn('kept', other, asking));
  await expect.poll(() => calls().match(/second/g)).toHaveLength(2);
  const followed = read(await reconnectTo('cut', other, asking));

  balancer.leaveOut(firstPort);
  balancer.takeIn(secondPort);
  await first.kill();
  await cut;
  const reconnected = read(await reconnectTo('cut', other, asking));
  await expect.poll(() => calls().match(new RegExp(`second ${secondPort}`, 'g'))).toHaveLength(2);
  writeFileSync(join(directory, 'go'), '');

  for (const reading of [asked, followed, reconnected]) {
    const { chunks, message } = await reading;
    expect([textOf(message), chunks.at(-1)?.type]).toEqual([whole, 'finish']);
  }
  for (const [id, { message }] of [
    ['kept', await asked],
    ['cut', await followed],
  ] as const) {
    const { data } = await ask(second.url, `/conversations/${id}/messages?userId=ada`);
    const [, ...answers] = data['messages'] as NonNullable<typeof message>[];
    expect(answers.map((answer) => [answer.id, textOf(answer)])).toEqual([[message?.id, whole]]);
  }
  expect(calls().match(/first/g)).toHaveLength(2);
});
