/**
 * A server whose callers compete, in a separate process: with a slow and a trivial workflow, and an
 * agent that answers slowly.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer } from '@halyard/server-fastify';

/** Since the last report. Delays of the event loop are in milliseconds. */
export interface Delays {
  readonly p99: number;
  readonly longest: number;
  /**
   * The longest delay in CPU time of the event loop: a machine that is busy with other programs
   * does not change it.
   */
  readonly longestCpu: number;
  /** How many calls of the slow model were in progress at the same time. */
  readonly mostSlowCalls: number;
}

const slow = createWorkflow({ id: 'slow' }).andThen({ id: 'wait', execute: () => delay(2_000, 'done') });
const trivial = createWorkflow({ id: 'trivial' }).andThen({ id: 'answer', execute: () => 'done' });
const model = scriptedModel('Hello.');
let slowCalls = 0;
let mostSlowCalls = 0;
const thoughtful: typeof model = {
  ...model,
  doGenerate: async (options) => {
    slowCalls += 1;
    mostSlowCalls = Math.max(mostSlowCalls, slowCalls);
    await delay(1_000);
    slowCalls -= 1;
    return model.doGenerate(options);
  },
};

const echo = (): typeof model =>
  scriptedModel(({ prompt }) => {
    const [question] = prompt.flatMap((message) => (message.role === 'user' ? message.content : []));
    return question?.type === 'text' ? question.text : '';
  });

const server = await createServer({
  agents: [
    new Agent({ id: 'thoughtful', model: thoughtful }),
    new Agent({ id: 'quick', model }),
    // Answers with the question. A new model for each run: a scripted one keeps its calls.
    new Agent({ id: 'objective', model: echo }),
  ],
  workflows: [slow, trivial],
  auth: {
    mode: 'policy',
    provider: { type: 'load', verifyToken: (token) => ({ id: token }) },
    consoleKey: 'the console key of this test',
    publicRoutes: ['WS /ws'],
  },
  // The tests are about fairness: a busy machine must not make the server refuse requests.
  limits: { eventLoopDelayMs: 3_600_000 },
  logger: false,
  signals: false,
});
process.send?.(await server.listen({ port: 0 }));
const delays = monitorEventLoopDelay({ resolution: 5 });
delays.enable();
let longestCpu = 0;
let lastCpu = cpuMs();
setInterval(() => {
  const now = cpuMs();
  longestCpu = Math.max(longestCpu, now - lastCpu);
  lastCpu = now;
}, 5).unref();
process.on('message', (question) => {
  if (question === 'close') return void server.close().then(() => process.exit(0));
  const [p99, longest] = [delays.percentile(99) / 1e6, delays.max / 1e6];
  process.send?.({ p99, longest, longestCpu, mostSlowCalls } satisfies Delays);
  delays.reset();
  longestCpu = 0;
  mostSlowCalls = 0;
});

function cpuMs(): number {
  const { system, user } = process.threadCpuUsage();
  return (system + user) / 1_000;
}
