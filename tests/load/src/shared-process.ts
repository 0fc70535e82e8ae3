/** A server whose callers compete, in a separate process: with a slow and a trivial workflow, and an agent that answers slowly. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer } from '@halyard/server-fastify';

/** Delays of the event loop in milliseconds. */
export interface Delays {
  readonly p99: number;
  readonly longest: number;
}

const slow = createWorkflow({ id: 'slow' }).andThen({ id: 'wait', execute: () => delay(2_000, 'done') });
const trivial = createWorkflow({ id: 'trivial' }).andThen({ id: 'answer', execute: () => 'done' });
const model = scriptedModel('Hello.');
const thoughtful: typeof model = {
  ...model,
  doGenerate: async (options) => {
    await delay(1_000);
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
  logger: false,
  signals: false,
});
process.send?.(await server.listen({ port: 0 }));
const delays = monitorEventLoopDelay({ resolution: 5 });
delays.enable();
process.on('message', (question) => {
  if (question === 'close') return void server.close().then(() => process.exit(0));
  process.send?.({ p99: delays.percentile(99) / 1e6, longest: delays.max / 1e6 } satisfies Delays);
  delays.reset();
});
