import { getEventListeners } from 'node:events';
import { Type } from '@sinclair/typebox';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ModelPart } from '../../model/providers/model-port.ts';
import { collectEvents, scriptedModel, type ScriptedReply, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import { type AgentOptions, type AgentTimeouts, defaultTimeouts } from '../agent-options.ts';
import { Agent } from '../agent.ts';

const services = { logger: silentLogger };

/** Timers that a test advances and counts. */
function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

const hanging = (ignoresAbort: boolean) =>
  createTool({
    name: 'hang',
    description: 'Never ends',
    input: Type.Object({}),
    execute: (_input, { signal }) =>
      new Promise((_, reject) => {
        if (!ignoresAbort) signal.addEventListener('abort', () => reject(new Error('stopped')));
      }),
  });
const callHang: ScriptedReply = { toolCalls: [{ toolName: 'hang', input: {} }] };

async function lastEvent(timeouts: Partial<AgentTimeouts>, turn: ScriptedReply, options: Partial<AgentOptions> = {}) {
  const events = await collectEvents(
    await new Agent({ id: 'a', model: scriptedModel(turn), timeouts, ...options }).streamText('Hi', { services }),
  );
  return events.at(-1);
}

it.each([false, true])(
  'ends a run with an error when the first token takes too long (model ignores its signal: %s)',
  async (ignoresAbort) => {
    expect(await lastEvent({ firstTokenMs: 5 }, { hangs: true, ignoresAbort })).toEqual({
      type: 'error',
      error: 'The first token took longer than 5 ms',
    });
  },
);

it('ends a run when its model does not open a stream in time', async () => {
  const never = () => new Promise<never>(() => {});

  expect(await lastEvent({ firstTokenMs: 5 }, never)).toEqual({
    type: 'error',
    error: 'The first token took longer than 5 ms',
  });
  const agent = new Agent({ id: 'a', model: scriptedModel(never), timeouts: { stepMs: 5 } });
  await expect(agent.generateText('Hi', { services })).rejects.toMatchObject({
    code: 'TIME_LIMIT_EXCEEDED',
    message: 'The next data from the model took longer than 5 ms',
  });
});

it.each([false, true])(
  'ends a run with an error when its model stops sending data (and ignores its signal: %s)',
  async (ignoresAbort) => {
    expect(await lastEvent({ stepMs: 5 }, { text: 'Half', hangs: true, ignoresAbort })).toEqual({
      type: 'error',
      error: 'The next data from the model took longer than 5 ms',
    });
  },
);

it('does not apply the limit for the first token after it arrived', async () => {
  useFakeTimers();
  const model = scriptedModel({ text: 'Half', hangs: true });
  const agent = new Agent({ id: 'a', model, timeouts: { firstTokenMs: 50, stepMs: 60 } });
  const arrived = Promise.withResolvers<void>();
  const last = (async () => {
    let latest: unknown;
    for await (const event of await agent.streamText('Hi', { services })) {
      latest = event;
      if (event.type === 'text-delta') arrived.resolve();
    }
    return latest;
  })();

  await arrived.promise;
  await vi.advanceTimersByTimeAsync(200);

  expect(await last).toEqual({
    type: 'error',
    error: 'The next data from the model took longer than 60 ms',
  });
});

describe('with a clock that the model advances', () => {
  beforeEach(useFakeTimers);

  function* slowly(pieces: number): Generator<string, void, undefined> {
    for (let index = 0; index < pieces; index += 1) {
      vi.advanceTimersByTime(40);
      yield `${index} `;
    }
  }

  it('never ends a stream that still produces data, however long it takes as a whole', async () => {
    const events = await lastEvent({ stepMs: 100 }, { text: slowly(5000) });

    expect(events).toMatchObject({ type: 'finish', finishReason: 'stop' });
  });

  it('counts parts before the first token as data', async () => {
    function* parts(): Generator<ModelPart, void, undefined> {
      for (let index = 0; index < 20; index += 1) {
        vi.advanceTimersByTime(40);
        yield { type: 'raw', rawValue: index };
      }
      yield* [
        { type: 'text-delta' as const, id: 't', delta: 'Hello' },
        { type: 'finish' as const, finishReason: { unified: 'stop' as const, raw: undefined }, usage: noTokens },
      ];
    }
    const model = { ...scriptedModel(''), doStream: async () => ({ stream: ReadableStream.from(parts()) }) };
    const agent = new Agent({ id: 'a', model, timeouts: { stepMs: 100, firstTokenMs: Infinity } });

    expect((await collectEvents(await agent.streamText('Hi', { services }))).at(-1)).toMatchObject({ type: 'finish' });
  });

  it('does not count the time that the consumer takes', async () => {
    const model = scriptedModel({ text: 'word '.repeat(600) });
    const stream = await new Agent({ id: 'a', model, timeouts: { stepMs: 100 } }).streamText('Hi', { services });
    const types: string[] = [];

    for await (const { type } of stream) {
      await new Promise(setImmediate);
      vi.advanceTimersByTime(1000);
      types.push(type);
    }

    expect(types.at(-1)).toBe('finish');
  });
});

const noTokens = {
  inputTokens: { total: 0, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 0, text: undefined, reasoning: undefined },
};

it('limits a whole run to ten minutes unless the agent sets another limit', () => {
  expect(defaultTimeouts.totalMs).toBe(600_000);
});

it('ends a run with an error when it takes too long as a whole: in a model, in a tool, before the first step', async () => {
  const error = { type: 'error', error: 'The run took longer than 5 ms' };

  expect(await lastEvent({ totalMs: 5 }, { hangs: true })).toEqual(error);
  expect(await lastEvent({ totalMs: 5 }, callHang, { tools: [hanging(true)] })).toEqual(error);
  const instructions = () => new Promise<string>(() => {});
  await expect(lastEvent({ totalMs: 5 }, 'Hi', { instructions })).rejects.toMatchObject({
    code: 'TIME_LIMIT_EXCEEDED',
  });
});

it.each([false, true])(
  'reports to the model that a tool takes too long (tool ignores its signal: %s)',
  async (ignoresAbort) => {
    const model = scriptedModel(callHang, 'Never mind.');
    const agent = new Agent({ id: 'a', model, tools: [hanging(ignoresAbort)], timeouts: { toolMs: 5 } });

    const events = await collectEvents(await agent.streamText('Hi', { services }));

    const error = 'Tool "hang" took longer than 5 ms';
    expect(events).toContainEqual({ type: 'tool-error', toolCallId: 'call-1', toolName: 'hang', input: {}, error });
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
      content: [{ output: { type: 'error-text', value: error } }],
    });
  },
);

it('accepts a limit that is longer than the longest timer', async () => {
  const timeouts = { totalMs: Infinity, stepMs: 1e12, firstTokenMs: Infinity, toolMs: Infinity };
  const quick = createTool({ name: 'quick', description: 'Ends', input: Type.Object({}), execute: () => 'ok' });
  const model = scriptedModel({ toolCalls: [{ toolName: 'quick', input: {} }] }, 'Done.');

  expect((await new Agent({ id: 'a', model, tools: [quick], timeouts }).generateText('Hi')).text).toBe('Done.');
});

it('calls neither model nor instructions when it is aborted before it starts', async () => {
  const model = scriptedModel('Hi');
  const asked: string[] = [];
  const agent = new Agent({
    id: 'a',
    model,
    instructions: () => {
      asked.push('instructions');
      return '';
    },
  });

  await expect(agent.streamText('Hi', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
  await expect(agent.generateText('Hi', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
  expect(model.calls).toEqual([]);
  expect(asked).toEqual([]);
});

it.each([false, true])(
  'ends with an abort event when it is aborted during a text (provider ignores it: %s)',
  async (ignoresAbort) => {
    const controller = new AbortController();
    const model = scriptedModel({ text: 'Half', hangs: true, ignoresAbort });
    const stream = await new Agent({ id: 'a', model }).streamText('Hi', { signal: controller.signal });
    const types: string[] = [];

    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'text-delta') controller.abort();
    }

    expect(types).toEqual(['start', 'start-step', 'text-start', 'text-delta', 'abort']);
    await expect(stream.result).rejects.toMatchObject({ code: 'ABORTED' });
    expect(model.calls[0]?.abortSignal?.aborted).toBe(true);
  },
);

it.each([false, true])('aborts tools with their run (tool ignores it: %s)', async (ignoresAbort) => {
  const controller = new AbortController();
  const started = Promise.withResolvers<AbortSignal>();
  const tool = createTool({
    name: 'hang',
    description: 'Never ends',
    input: Type.Object({}),
    execute: (input, context) => {
      started.resolve(context.signal);
      return hanging(ignoresAbort).execute(input, context);
    },
  });
  const stream = await new Agent({ id: 'a', model: scriptedModel(callHang), tools: [tool] }).streamText('Hi', {
    signal: controller.signal,
  });

  const signal = await started.promise;
  controller.abort();

  expect((await collectEvents(stream)).at(-1)).toEqual({ type: 'abort' });
  expect(signal.aborted).toBe(true);
});

it('leaves no timer and no listener behind after a thousand aborted runs', async () => {
  const controller = new AbortController();
  const agent = new Agent({
    id: 'a',
    model: scriptedModel({ text: 'Half', hangs: true }, callHang),
    tools: [hanging(true)],
  });
  useFakeTimers();

  for (let round = 0; round < 20; round += 1) {
    const own = new AbortController();
    const streams = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        agent.streamText('Hi', { signal: index % 2 === 0 ? controller.signal : own.signal }),
      ),
    );
    await Promise.all(
      streams.map(async (stream, index) => {
        for await (const event of stream) {
          if (event.type !== 'text-delta' && event.type !== 'tool-call') continue;
          if (index % 2 === 0) break;
          own.abort();
        }
        await stream.result.catch(() => {});
      }),
    );
    expect(getEventListeners(own.signal, 'abort')).toEqual([]);
  }

  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

it.each([false, true])(
  'ends when its signal is aborted, while it runs or before (model ignores the signal: %s)',
  async (ignoresAbort) => {
    const agent = new Agent({ id: 'a', model: scriptedModel({ hangs: true, ignoresAbort }) });
    const controller = new AbortController();
    const { signal } = controller;
    const running = agent.generateText('Hi', { services, signal });
    setImmediate(() => controller.abort());
    await expect(running).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(agent.generateText('Hi', { services, signal })).rejects.toMatchObject({ code: 'ABORTED' });
  },
);

it('leaves no timer and no listener behind after runs that end well or fail', async () => {
  const { signal } = new AbortController();
  useFakeTimers();

  await new Agent({ id: 'a', model: scriptedModel('Hi') }).generateText('Hi', { signal });
  await collectEvents(
    await new Agent({ id: 'a', model: scriptedModel({ error: new Error('no') }) }).streamText('Hi', {
      signal,
      services,
    }),
  );
  await new Agent({ id: 'a', model: scriptedModel('Hi'), acceptSystemMessages: false })
    .generateText([{ role: 'system', content: 'x' }], { signal })
    .catch(() => {});

  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

it('has the reason of its caller as the cause when it is aborted', async () => {
  const agent = new Agent({ id: 'a', model: scriptedModel('Hi') });
  const reason = new Error('the client left');
  await expect(agent.generateText('Hi', { signal: AbortSignal.abort(reason) })).rejects.toMatchObject({
    code: 'ABORTED',
    cause: reason,
  });
});

it('has no limit for the first token of an answer that is not streamed', async () => {
  useFakeTimers();
  const model = scriptedModel(() => {
    vi.advanceTimersByTime(40);
    return 'Hi';
  });
  const agent = new Agent({ id: 'a', model, timeouts: { firstTokenMs: 20, stepMs: 100 } });
  expect((await agent.generateText('Hi', { services })).text).toBe('Hi');
});
