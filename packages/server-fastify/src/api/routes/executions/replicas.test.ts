import { once } from 'node:events';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve, type Served } from '../../../testing/serve.ts';
import { framesIn, gateOf, requestWorkflows, workflows } from '../../../testing/workflows.ts';

let first: Served;
let second: Served;
beforeAll(async () => {
  const storage = createInMemoryStorage();
  first = await serve([], { workflows, storage });
  second = await serve([], { workflows, storage });
});
afterAll(() => Promise.all([first.close(), second.close()]));

/** Starts an execution on the first server. Its step waits for its gate. */
async function heldByFirst(id: string): Promise<{ readonly answer: Promise<unknown>; readonly signal: AbortSignal }> {
  const body = { input: { gate: id }, options: { executionId: id } };
  const answer = requestWorkflows(first.origin, '/gated/execute', body);
  return { answer, signal: await gateOf(id).entered };
}

describe('two servers on one storage', () => {
  it('follow each other’s executions, from any event on', async () => {
    const { answer } = await heldByFirst('followed');
    const response = await fetch(`${second.origin}/workflows/gated/executions/followed/stream?from=1`);
    gateOf('followed').open();
    const frames = framesIn(await response.text());
    expect(frames.map(({ id }) => id)).toEqual([2, 3, 4, 5, 6, 7]);
    expect(frames.at(-1)?.event).toMatchObject({ type: 'workflow-result', status: 'completed' });
    expect(await answer).toMatchObject({ status: 200 });
  });

  it('suspend and cancel executions of each other', async () => {
    for (const [call, status] of [
      ['suspend', 'suspended'],
      ['cancel', 'cancelled'],
    ] as const) {
      const { answer, signal } = await heldByFirst(`afar-${call}`);
      const aborted = once(signal, 'abort');
      const stopping = requestWorkflows(second.origin, `/gated/executions/afar-${call}/${call}`, {
        reason: 'from afar',
      });
      await aborted;
      gateOf(`afar-${call}`).open();
      expect(await stopping).toMatchObject({ status: 200, data: { status } });
      expect(await answer).toMatchObject({ status: 200, data: { status } });
    }
  });

  it('resume executions that were suspended on the other', async () => {
    await requestWorkflows(first.origin, '/approval/execute', {
      input: { total: 1 },
      options: { executionId: 'waits' },
    });
    const path = '/approval/executions/waits/resume';
    const answers = await Promise.all(
      [first, second, first, second].map(({ origin }) => requestWorkflows(origin, path, { resumeData: { by: 'ada' } })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404]);
    expect(answers.find(({ status }) => status === 200)?.data).toMatchObject({ result: { total: 2, by: 'ada' } });
  });
});
