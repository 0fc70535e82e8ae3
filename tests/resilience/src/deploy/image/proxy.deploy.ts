import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readYaml } from '../manifests.ts';
import { type Installation, openInstallation, stop } from '../operations/installation.ts';
import { type Proxy, startProxy } from './proxy.ts';
import { type Replica, secretsOfTests, statusOf, tokenOf } from './replicas.ts';

const compose = readYaml('compose.yml') as { services: { 'app-1': { environment: Record<string, string> } } };
const { SHUTDOWN_DELAY_MS } = compose.services['app-1'].environment;
/** In compose.yml, the proxy has an address of a private network. */
const env = { TRUST_PROXY: 'loopback', SHUTDOWN_DELAY_MS: String(SHUTDOWN_DELAY_MS) };
let installation: Installation;
let replicas: readonly [Replica, Replica];
let proxy: Proxy;

beforeAll(async () => {
  installation = await openInstallation();
  replicas = [await installation.start({ env }), await installation.start({ env })];
  proxy = await startProxy(replicas.map(({ origin }) => origin));
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});

const runOf = (cents: number): RequestInit => ({
  method: 'POST',
  body: JSON.stringify({ input: { product: 'lamp', cents } }),
});
const order: RequestInit = {
  ...runOf(4_900),
  headers: { authorization: `Bearer ${tokenOf('ada')}`, 'content-type': 'application/json' },
};

describe('the proxy of compose.yml', () => {
  it('passes on each event of a stream at once', async () => {
    const response = await fetch(`${proxy.origin}/workflows/order/stream`, order);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const arrivals: number[] = [];
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      arrivals.push(performance.now());
      text += decoder.decode(chunk, { stream: true });
    }
    expect(text).toContain('workflow-complete');
    // The step `ship` takes a second: what was sent before it arrived before.
    expect((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(500);
  });

  it('passes on WebSockets, with what happens on either replica', async () => {
    const url = `${proxy.origin.replace('http', 'ws')}/ws/observability?key=${secretsOfTests.consoleKey}`;
    const socket = new WebSocket(url);
    const received: string[] = [];
    socket.addEventListener('message', ({ data }) => received.push(String(data)));
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    for (const replica of replicas) {
      const { status } = await replica.asUser('ada', '/workflows/order/execute', runOf(4_900));
      expect(status).toBe(200);
    }
    await expect
      .poll(() => received.filter((message) => message.includes('"order"')).length, { timeout: 120_000 })
      .toBeGreaterThan(0);
    socket.close();
  });

  it('answers every request while a replica is replaced', async () => {
    const statuses = new Map<number, number>();
    let isReplaced = false;
    const requests = Array.from({ length: 5 }, async () => {
      while (!isReplaced) {
        const { status } = await fetch(`${proxy.origin}/workflows/order/execute`, order);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    await delay(1_500);
    const stopped = stop(replicas[0]);
    // The replica is not ready any more, and answers nevertheless.
    await expect.poll(() => statusOf(`${replicas[0].origin}/readyz`)).toBe(503);
    expect((await replicas[0].asUser('ada', '/workflows/order/execute', runOf(4_900))).status).toBe(200);
    await stopped;
    isReplaced = true;
    await Promise.all(requests);
    expect([...statuses.keys()]).toEqual([200]);
    expect(statuses.get(200)).toBeGreaterThan(10);
  });
});
