import type { SpanRecord } from '@halyard/contracts';
import { afterEach, expect, it } from 'vitest';
import { Agent } from '../../agent/agent.ts';
import { createRecorder } from '../../telemetry/create-recorder.ts';
import { scriptedModel } from '../../testing/index.ts';
import { createWorkflow } from '../create-workflow.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { WorkflowRuntime } from '../engine/workflow-runtime.ts';
import { andThen } from '../steps/and-then.ts';
import { CollectedSpans } from '../testing/collected-spans.ts';
import { Gate } from '../testing/gate.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import { readSpanContext } from './workflow-traces.ts';

const elsewhere = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
let spans = new CollectedSpans();

function recording(...workflows: readonly WorkflowDefinition[]) {
  spans = new CollectedSpans();
  const kit = new WorkflowKit(...workflows);
  const recorder = createRecorder({ sink: spans, clock: kit.clock });
  return { kit: kit.use({ recorder }), recorder };
}

const approval = createWorkflow({ id: 'order' })
  .andThen({ id: 'price', execute: () => 5 })
  .andThen({
    id: 'approve',
    execute: ({ resumeData, suspend }) => (resumeData === undefined ? suspend('Who pays?') : resumeData),
  })
  .andThen({ id: 'ship', execute: ({ data }) => ({ shipped: data }) });

// After each test no span is open, and each span has ended once.
afterEach(() => {
  expect(spans.open).toEqual([]);
  expect(new Set(spans.ended.map(({ spanId }) => spanId)).size).toBe(spans.ended.length);
});

it('records an execution as one trace, with a span for each run', async () => {
  const { kit } = recording(approval);
  const { executionId } = await kit.run({ cup: 1 }, { userId: 'ann', conversationId: 'talk', metadata: { order: 7 } });
  const [first] = spans.named('workflow order');
  expect((await kit.row(executionId)).metadata).toEqual({ order: 7, traceId: first?.traceId, spanId: first?.spanId });
  expect(first).toMatchObject({
    isEntry: true,
    parentSpanId: null,
    status: { code: 0 },
    attributes: {
      'entity.type': 'workflow',
      'entity.id': 'order',
      'halyard.execution.id': executionId,
      'halyard.execution.status': 'suspended',
      'user.id': 'ann',
      'gen_ai.conversation.id': 'talk',
      'halyard.input': '{"cup":1}',
    },
  });

  await kit.runtime.resume(await kit.key(executionId), { resumeData: 'ann', traceParent: elsewhere });
  await kit.waitUntilIdle(executionId);

  expect(spans.tree()).toEqual([
    'workflow order',
    '  step price',
    '  step approve',
    '  workflow order',
    '    step approve',
    '    step ship',
  ]);
  expect(new Set(spans.all.map(({ traceId }) => traceId))).toEqual(new Set([first?.traceId]));
  const second = spans.named('workflow order')[1];
  expect(second).toMatchObject({
    isEntry: true,
    links: [{ traceId: first?.traceId, spanId: first?.spanId }, elsewhere],
    attributes: { 'halyard.execution.status': 'completed', 'halyard.output': '{"shipped":"ann"}' },
  });
  const [asked, answered] = spans.named('step approve');
  expect(asked).toMatchObject({
    status: { code: 0 },
    events: [{ name: 'suspended', attributes: { 'halyard.suspension.reason': 'Who pays?' } }],
    attributes: { 'halyard.step.outcome': 'suspended', 'halyard.step.type': 'andThen' },
  });
  expect(answered?.attributes).toMatchObject({ 'halyard.step.outcome': 'success', 'halyard.output': 'ann' });
});

it('links a run to the latest one of the execution, and to its first where 1 000 others became idle since', async () => {
  const twice = createWorkflow({ id: 'twice' })
    .andThen({ id: 'one', execute: ({ resumeData, suspend }) => resumeData ?? suspend('first') })
    .andThen({ id: 'two', execute: ({ resumeData, suspend }) => resumeData ?? suspend('second') });
  const { kit } = recording(twice, approval);
  const runTwice = async (): Promise<string> => {
    const { executionId } = await kit.run();
    await kit.resume(executionId, 'go');
    return executionId;
  };
  const [forgotten, remembered] = [await runTwice(), await runTwice()];
  for (let count = 0; count < 999; count += 1) await kit.runtime.execute('order', {}, {});

  const linkedRuns = [];
  for (const executionId of [forgotten, remembered]) {
    await kit.resume(executionId, 'go');
    const runs = spans
      .named('workflow twice')
      .filter(({ attributes }) => attributes['halyard.execution.id'] === executionId);
    linkedRuns.push(runs.findIndex(({ spanId }) => spanId === runs[2]?.links?.[0]?.spanId));
  }
  expect(linkedRuns).toEqual([0, 1]);
});

it('continues the trace of the calling service, or of the active span', async () => {
  const { kit, recorder } = recording(approval);
  await kit.run(null, { traceParent: elsewhere });
  expect(spans.one('workflow order')).toMatchObject({
    traceId: elsewhere.traceId,
    parentSpanId: elsewhere.spanId,
    isEntry: true,
  });

  const caller = recorder.start({ name: 'caller' });
  await caller.run(() => kit.run());
  caller.end();
  expect(spans.named('workflow order')[1]).toMatchObject({ parentSpanId: caller.context.spanId });
});

it('records nothing of a trace that the caller does not sample, also after a resume', async () => {
  const { kit } = recording(approval);
  const { executionId } = await kit.run(null, { traceParent: { ...elsewhere, isSampled: false } });
  await kit.resume(executionId, 'ann');
  expect(spans.all).toEqual([]);
  expect((await kit.row(executionId)).metadata).toMatchObject({ traceId: elsewhere.traceId });
});

it('makes spans that a step body starts children of the step', async () => {
  const workflow = createWorkflow({ id: 'order' }).andThen({
    id: 'price',
    execute: async () => {
      await Promise.resolve();
      recorder.start({ name: 'ask' }).end();
    },
  });
  const { kit, recorder } = recording(workflow);
  await kit.run();
  expect(spans.tree()).toEqual(['workflow order', '  step price', '    ask']);
});

it('makes the run of an agent a child of its step', async () => {
  const agent = new Agent({ id: 'thanker', model: scriptedModel(() => 'Thanks') });
  const { kit } = recording(createWorkflow({ id: 'order' }).andAgent({ id: 'thank', agent, prompt: 'Thank' }));
  await kit.run();
  expect(spans.tree().map((line) => line.replace(/(chat|agent) .*/, '$1'))).toEqual([
    'workflow order',
    '  step thank',
    '    invoke_agent',
    '      chat',
  ]);
});

it('names the nearest workflow in the span of a model call', async () => {
  const agent = new Agent({ id: 'thanker', model: scriptedModel(() => 'Thanks') });
  const inner = createWorkflow({ id: 'inner' }).andAgent({ id: 'thank', agent, prompt: 'Thank' });
  const outer = createWorkflow({ id: 'outer' })
    .andWorkflow({ id: 'nested', workflow: inner })
    .andAgent({ id: 'again', agent, prompt: 'Thank' });
  const { kit } = recording(outer);
  await kit.run();
  const calls = spans.ended.filter(({ name }) => name.startsWith('chat '));
  expect(calls.map(({ attributes }) => attributes['halyard.workflow.id'])).toEqual(['inner', 'outer']);
});

it('makes branches and loop items children of their step, and ends those that lost a race', async () => {
  const gate = new Gate();
  const workflow = createWorkflow({ id: 'order' })
    .andAll({
      id: 'checks',
      steps: [andThen({ id: 'stock', execute: () => 1 }), andThen({ id: 'credit', execute: () => 2 })],
    })
    .andRace({
      id: 'fastest',
      steps: [
        andThen({ id: 'slow', execute: (context) => gate.passOrAbort(context) }),
        andThen({ id: 'fast', execute: () => [1, 2] }),
      ],
    })
    .andForEach({ id: 'lines', step: andThen({ id: 'pack', execute: () => 3 }) });
  const { kit } = recording(workflow);
  await kit.run();
  expect(spans.tree()).toEqual([
    'workflow order',
    '  step checks',
    '    step stock',
    '    step credit',
    '  step fastest',
    '    step slow',
    '    step fast',
    '  step lines',
    '    step pack:0',
    '    step pack:1',
  ]);
  expect(spans.one('step slow')).toMatchObject({
    status: { code: 0 },
    attributes: { 'halyard.step.outcome': 'dropped' },
    events: [{ name: 'dropped' }],
  });
});

it('records errors and the number of attempts', async () => {
  const workflow = createWorkflow({ id: 'order' }).andAll({
    id: 'checks',
    steps: [
      andThen({
        id: 'credit',
        retries: { attempts: 2, delayMs: 100 },
        execute: () => {
          throw new RangeError('no credit');
        },
      }),
    ],
  });
  const { kit } = recording(workflow);
  const id = await kit.begin();
  await kit.advance(100);
  expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'error' });

  expect(spans.named('step credit')).toMatchObject([
    { status: { code: 0 }, events: [{ name: 'retry' }], attributes: { 'halyard.step.outcome': 'sleeping' } },
    {
      status: { code: 2, message: 'no credit' },
      attributes: { 'error.type': 'RangeError', 'halyard.step.attempts': 2, 'halyard.step.outcome': 'error' },
    },
  ]);
  const [first, second] = spans.named('workflow order');
  expect(first).toMatchObject({ status: { code: 0 }, attributes: { 'halyard.execution.status': 'running' } });
  expect(second).toMatchObject({
    status: { code: 2 },
    parentSpanId: first?.spanId,
    attributes: { 'halyard.execution.status': 'error', 'error.type': 'STEP_FAILED' },
  });
});

it('ends all spans when the execution is cancelled', async () => {
  const gate = new Gate();
  const workflow = createWorkflow({ id: 'order' }).andWorkflow({
    id: 'sub',
    workflow: createWorkflow({ id: 'inner' }).andThen({ id: 'wait', execute: (context) => gate.passOrAbort(context) }),
  });
  const { kit } = recording(workflow);
  const id = await kit.begin();
  await gate.entered;
  await kit.cancel(id);
  expect(spans.all).toMatchObject([
    {
      name: 'workflow order',
      attributes: { 'halyard.execution.status': 'cancelled', 'halyard.outcome': 'aborted' },
      status: { code: 0 },
    },
    { name: 'step sub', attributes: { 'halyard.step.outcome': 'dropped' } },
    { name: 'workflow inner', attributes: { 'halyard.execution.status': 'cancelled' }, isEntry: false },
    { name: 'step wait', attributes: { 'halyard.step.outcome': 'dropped' } },
  ]);
});

it('makes a sub-workflow a child of its step, and stores its span ids in its metadata', async () => {
  const inner = createWorkflow({ id: 'inner' }).andThen({
    id: 'ask',
    execute: ({ resumeData, suspend }) => resumeData ?? suspend('Say'),
  });
  const { kit } = recording(createWorkflow({ id: 'order' }).andWorkflow({ id: 'sub', workflow: inner }));
  const { executionId } = await kit.run();
  const [child] = await kit.children(executionId);
  const [begun] = spans.named('workflow inner');
  expect(child?.metadata).toEqual({ traceId: begun?.traceId, spanId: begun?.spanId });

  await kit.resume(executionId, 'yes');
  expect(spans.tree()).toEqual([
    'workflow order',
    '  step sub',
    '    workflow inner',
    '      step ask',
    '  workflow order',
    '    step sub',
    '      workflow inner',
    '        step ask',
  ]);
  expect(spans.named('workflow inner')[1]).toMatchObject({
    links: [{ traceId: begun?.traceId, spanId: begun?.spanId }],
    attributes: { 'halyard.execution.status': 'completed', 'halyard.output': 'yes' },
  });
});

it('records the outcome of steps that sleep, bail or are suspended from outside', async () => {
  const gate = new Gate();
  const workflow = createWorkflow({ id: 'order' })
    .andSleep({ id: 'nap', durationMs: 1_000 })
    .andThen({ id: 'halted', execute: (context) => gate.passOrAbort(context) })
    .andAll({ id: 'around', steps: [andThen({ id: 'quit', execute: ({ bail }) => bail('enough') })] });
  const { kit } = recording(workflow);
  const id = await kit.begin();
  await kit.advance(1_000);
  await gate.entered;
  await kit.suspend(id);
  gate.open();
  await kit.resume(id);
  const outcomes = spans.all.map(({ attributes, name }) => [name, attributes['halyard.step.outcome']]);
  expect(outcomes).toEqual([
    ['workflow order', undefined],
    ['step nap', 'sleeping'],
    ['workflow order', undefined],
    ['step nap', 'success'],
    ['step halted', 'halted'],
    ['workflow order', undefined],
    ['step halted', 'success'],
    ['step around', 'bailed'],
    ['step quit', 'bailed'],
  ]);
});

it('continues the trace when another process takes over, and ends the lost run', async () => {
  const gate = new Gate();
  let tries = 0;
  const workflow = createWorkflow({ id: 'order' }).andThen({
    id: 'pay',
    execute: async (context) => {
      tries += 1;
      if (tries === 1) await gate.pass(context);
      return tries;
    },
  });
  const { kit } = recording(workflow);
  const id = await kit.begin();
  await gate.entered;
  const dead = kit.runtime;
  await kit.restart();
  expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed' });
  await dead.stop(0);

  expect(spans.tree()).toEqual(['workflow order', '  step pay', '  workflow order', '    step pay']);
  const [lost, second] = spans.named('workflow order');
  expect(lost).toMatchObject({ status: { code: 0 }, events: [{ name: 'lost' }] });
  expect(second?.links).toEqual([{ traceId: lost?.traceId, spanId: lost?.spanId }]);
  expect(spans.named('step pay')[0]?.attributes).toMatchObject({ 'halyard.step.outcome': 'dropped' });
  gate.open();
  await kit.settle();
});

it.each(['claimed elsewhere', 'stopped', 'waiting for long'])(
  'ends the pending span at its start time: %s',
  async (how) => {
    const { kit, recorder } = recording(approval);
    const { services, storage } = kit;
    // Not started, so it runs nothing.
    const here = new WorkflowRuntime({ workflows: [approval], storage, services });
    const executionId = await here.begin('order', null, {});
    expect(spans.open).toEqual(['workflow order']);
    kit.clock.advance(60_000);
    if (how === 'stopped') await here.stop(0);
    else await here.sweep();
    expect(spans.one('workflow order')).toMatchObject({ endTime: kit.clock.now() - 60_000 });

    await kit.runtime.sweep();
    await kit.waitUntilIdle(executionId);
    expect(spans.tree()).toEqual(['workflow order', '  workflow order', '    step price', '    step approve']);
    expect(recorder.active()).toBeUndefined();
  },
);

it('records a replay as a separate trace with a link to the original one', async () => {
  const { kit } = recording(approval);
  const { executionId } = await kit.run();
  const [old] = spans.named('workflow order');
  const replayed = await kit.replay(executionId, { stepId: 'approve' });
  const [, replay] = spans.named('workflow order');
  expect(replay?.traceId).not.toBe(old?.traceId);
  expect(replay).toMatchObject({ parentSpanId: null, links: [{ traceId: old?.traceId, spanId: old?.spanId }] });
  expect((await kit.row(replayed.executionId)).metadata).toEqual({
    replayedFrom: executionId,
    traceId: replay?.traceId,
    spanId: replay?.spanId,
  });
});

it('separates the traces of 200 concurrent executions', async () => {
  const workflow = createWorkflow({ id: 'order' })
    .andAll({
      id: 'checks',
      steps: [
        andThen({
          id: 'stock',
          execute: async ({ state }) => {
            await Promise.resolve();
            recorder.start({ name: `ask ${state.executionId}` }).end();
          },
        }),
        andThen({ id: 'credit', execute: ({ resumeData, suspend }) => resumeData ?? suspend('Say') }),
      ],
    })
    .andWorkflow({
      id: 'sub',
      workflow: createWorkflow({ id: 'inner' }).andForEach({
        id: 'lines',
        step: andThen({ id: 'pack', execute: () => 1 }),
      }),
    });
  const { kit, recorder } = recording(workflow);
  const ids = await Promise.all(Array.from({ length: 200 }, () => kit.begin()));
  await Promise.all(ids.map((id) => kit.waitUntilIdle(id)));
  await Promise.all(ids.map((id) => kit.resume(id, [1])));

  const byTrace = Map.groupBy(spans.all, ({ traceId }: SpanRecord) => traceId);
  expect(byTrace.size).toBe(200);
  for (const id of ids) {
    const { metadata } = await kit.row(id);
    const trace = byTrace.get(readSpanContext(metadata)?.traceId ?? '') ?? [];
    const own = new Set(trace.map(({ spanId }) => spanId));
    expect(trace.filter(({ parentSpanId }) => parentSpanId === null || !own.has(parentSpanId))).toHaveLength(1);
    expect(trace.map(({ name }) => name).toSorted()).toEqual([
      `ask ${id}`,
      'step checks',
      'step checks',
      'step credit',
      'step credit',
      'step lines',
      'step pack:0',
      'step pack:1',
      'step stock',
      'step sub',
      'workflow inner',
      'workflow order',
      'workflow order',
    ]);
  }
});

it('records no input and output when content is not recorded', async () => {
  const { kit } = recording(approval);
  kit.use({ recorder: createRecorder({ sink: spans, clock: kit.clock, recordsContent: false }) });
  await kit.run({ secret: 1 });
  expect(JSON.stringify(spans.all)).not.toContain('secret');
});

it('adds the ids of its execution and span to each log line', async () => {
  const lines: object[] = [];
  const log = (fields: object, message: string): void => void lines.push({ ...fields, message });
  const workflow = createWorkflow({ id: 'order', hooks: { onStart: () => Promise.reject(new RangeError('no hook')) } })
    .andForEach({
      id: 'lines',
      step: andThen({ id: 'pack', execute: ({ logger }) => logger.info({ box: 1 }, 'packed') }),
    })
    .andThen({ id: 'fail', execute: () => Promise.reject(new RangeError('no')) });
  const { kit } = recording(workflow);
  kit.use({ logger: { debug: log, info: log, warn: log, error: log } });
  const { executionId } = await kit.run([1], { userId: 'ann', conversationId: 'talk' });

  const [{ traceId, spanId }, pack] = [spans.one('workflow order'), spans.one('step pack:0')];
  const ids = { workflowId: 'order', executionId, userId: 'ann', conversationId: 'talk', traceId };
  expect(lines).toMatchObject([
    { ...ids, spanId, hook: 'onStart' },
    { ...ids, spanId: pack.spanId, stepId: 'pack:0', box: 1, message: 'packed' },
    { ...ids, spanId, message: 'a workflow failed' },
  ]);
});

it('records no content of a stored schedule or a bulk operation, but that of the executions which they concern', async () => {
  const { kit } = recording(
    createWorkflow({ id: 'order' }).andThen({
      id: 'price',
      execute: ({ resumeData, suspend }) => resumeData ?? suspend('Who pays?'),
    }),
  );
  const { bulk, schedules } = kit.runtime;
  const [context, input] = [{ secret: 'of the app' }, { cup: 1 }];
  await schedules.set({ id: 'often', userId: 'ann', workflowId: 'order', everyMs: 60_000, context, input });
  await kit.settle();
  await kit.advance(60_000);
  const { bulkId } = await bulk.start({ operation: 'resume', resumeData: 'secret', filter: { status: 'suspended' } });
  await bulk.wait(bulkId);
  await schedules.delete({ id: 'often', userId: 'ann' });
  await kit.settle();
  const internal = spans.all.filter(
    ({ attributes }) => !String(attributes['halyard.execution.id']).startsWith('order:'),
  );
  expect(internal.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['workflow halyard:schedule', 'step ticks/start-0', 'workflow halyard:bulk']),
  );
  for (const { attributes } of internal) expect(Object.keys(attributes)).not.toContain('halyard.input');
  for (const { attributes } of internal) expect(Object.keys(attributes)).not.toContain('halyard.output');
  expect(JSON.stringify(internal)).not.toContain('secret');
  expect(spans.named('workflow order')[0]?.attributes).toMatchObject({ 'halyard.input': '{"cup":1}' });
});
