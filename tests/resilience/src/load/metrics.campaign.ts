import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createServer } from '../../../../packages/server-fastify/src/create-server.ts';
import { ServerMetrics } from '../../../../packages/server-fastify/src/runtime/metrics/server-metrics.ts';

const counting = ['requestEnded', 'agentRunEnded', 'modelCallEnded', 'toolCallEnded', 'executionRunEnded'] as const;
const requests = 50_000;
/** The functions before they are replaced. */
const original = Object.fromEntries(counting.map((name) => [name, ServerMetrics.prototype[name]]));

it('counts the metrics of a text request in less than 0.02 ms of CPU time', async () => {
  const counted: (() => void)[] = [];
  const metrics = new ServerMetrics();
  for (const name of counting) {
    vi.spyOn(ServerMetrics.prototype, name).mockImplementation((...given: unknown[]) => {
      counted.push(() => Reflect.apply(Reflect.get(original, name), metrics, given));
    });
  }
  const agent = new Agent({ id: 'guide', model: scriptedModel('Hello.') });
  const { close, listen } = await createServer({ agents: [agent], logger: false, port: 0, signals: false });
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await close();
  });
  const body = JSON.stringify({ input: 'Hi' });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${await listen()}/agents/guide/text`, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
  await response.text();
  // The run, its model call and the request.
  await expect.poll(() => counted.length).toBe(3);

  const before = process.cpuUsage();
  for (let request = 0; request < requests; request += 1) for (const count of counted) count();
  const { system, user } = process.cpuUsage(before);
  const costMs = (user + system) / 1_000 / requests;
  process.stdout.write(`counting the metrics of a text request: ${costMs.toFixed(4)} ms of CPU time\n`);
  expect(costMs).toBeLessThan(0.02);
});
