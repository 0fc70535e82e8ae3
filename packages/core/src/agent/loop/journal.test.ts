import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import type { AgentInput } from '../../model/messages/message.ts';
import { collectEvents, fixedClock, scriptedModel, type ScriptedReply, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { InternalRunOptions } from '../agent-options.ts';
import { Agent } from '../agent.ts';
import type { AgentHooks } from '../hooks.ts';
import { type AgentJournal, approvalKey, journalWithin, modelKey, noJournal, toolKey } from './journal.ts';

type Entries = readonly (readonly [string, string])[];

/** Stores JSON, as a store does. */
function mapJournal(known: Entries = []): AgentJournal & { readonly entries: Map<string, string> } {
  const entries = new Map(known);
  return {
    entries,
    async record<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
      const recorded = entries.get(key);
      if (recorded !== undefined) return JSON.parse(recorded) as Value;
      const value = await work();
      expect(entries.has(key)).toBe(false);
      entries.set(key, JSON.stringify(value));
      return value;
    },
  };
}

/**
 * Everything a run can do: reasoning, sources, files, provider tools, failing tools, sub-agents,
 * approvals.
 */
function setUp({ onToolEnd }: Pick<AgentHooks, 'onToolEnd'> = {}) {
  const hooks: string[] = [];
  const ran: string[] = [];
  const keys: string[] = [];
  let runs = 0;
  const look = createTool({
    name: 'look',
    description: 'Looks',
    input: Type.Object({ at: Type.String() }),
    execute: ({ at }, { idempotencyKey }) => {
      ran.push(at);
      keys.push(idempotencyKey);
      return { at, when: new Date(0) };
    },
  });
  const fail = createTool({
    name: 'fail',
    description: 'Fails',
    input: Type.Object({}),
    execute: () => {
      ran.push('fail');
      throw new Error('no');
    },
  });
  const pay = createTool({
    name: 'pay',
    description: 'Pays',
    input: Type.Object({ amount: Type.Number() }),
    needsApproval: ({ amount }) => {
      ran.push(`asked ${amount}`);
      return amount > 10;
    },
    execute: () => 'paid',
  });
  const workerModel = scriptedModel({ text: 'worked', usage: { inputTokens: 100, outputTokens: 50 } });
  const worker = new Agent({ id: 'worker', model: workerModel });
  const turns: readonly ScriptedReply[] = [
    {
      parts: [
        { type: 'reasoning-start', id: '0' },
        { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
        { type: 'reasoning-end', id: '0', providerMetadata: { p: { signature: 's' } } },
        { type: 'tool-call', toolCallId: 'w', toolName: 'web', input: '{}', providerExecuted: true },
        { type: 'tool-result', toolCallId: 'w', toolName: 'web', result: { hits: 1 } },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } },
        {
          type: 'tool-call',
          toolCallId: 'l1',
          toolName: 'look',
          input: '{"at":"left"}',
          providerMetadata: { p: { thought: 't' } },
        },
        { type: 'tool-call', toolCallId: 'f', toolName: 'fail', input: '{}' },
        { type: 'tool-call', toolCallId: 'x', toolName: 'look', input: 'not JSON' },
        { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com/' },
      ],
    },
    { text: 'Next.', toolCalls: [{ toolName: 'ask_worker', input: { task: 'Work' }, toolCallId: 'd' }] },
    {
      text: 'Paying.',
      toolCalls: [5, 50].map((amount) => ({ toolName: 'pay', input: { amount }, toolCallId: `p${amount}` })),
    },
  ];
  // The reply depends on the prompt, as with real models: a continued run does not start again.
  const model = scriptedModel(({ prompt }) => turns[prompt.filter(({ role }) => role === 'assistant').length] ?? '');
  const agent = new Agent({
    id: 'a',
    model,
    tools: [look, fail, pay],
    subAgents: [worker],
    hooks: {
      onStart: () => void hooks.push('start'),
      onStepEnd: (_run, { step }) => void hooks.push(`step ${step}`),
      ...(onToolEnd && { onToolEnd }),
    },
  });
  const run = async (journal: AgentJournal, options: InternalRunOptions = {}) => {
    runs += 1;
    const ids = { next: () => `run-${runs}` };
    const stream = await agent.streamText('Go', {
      journal,
      ...options,
      services: { logger: silentLogger, ids, clock: fixedClock(), approvals: agent.services.approvals },
    });
    const events = await collectEvents(stream);
    return { events: wholePieces(events), result: await stream.result };
  };
  return { hooks, keys, model, ran, run, workerModel };
}

/**
 * Events of the run itself, its texts in one piece, without the inputs of tools as they were typed.
 */
function wholePieces(events: readonly AgentEvent[]): unknown[] {
  const whole: Record<string, unknown>[] = [];
  for (const { ...event } of events) {
    if (event.agentId !== undefined || event.type.startsWith('tool-input-')) continue;
    const last = whole.at(-1);
    if ('delta' in event && last?.['type'] === event.type) last['delta'] = `${String(last['delta'])}${event.delta}`;
    else whole.push('id' in event && event.type !== 'source' ? { ...event, id: 'block' } : event);
  }
  // Where in its step a source or a tool's result came is no matter.
  return whole.toSorted((a, b) => rank(a).localeCompare(rank(b)));
}

const rank = ({ type, toolCallId = '' }: Record<string, unknown>): string =>
  ['tool-result', 'tool-error', 'source'].includes(String(type)) ? `late ${String(toolCallId)}` : 'early';

it('calls neither model nor tool again in a replay, and has the same result and events', async () => {
  const { model, ran, run, workerModel } = setUp();
  const journal = mapJournal();
  const first = await run(journal);
  const [calls, tools] = [model.calls.length, ran.length];

  const second = await run(mapJournal([...journal.entries]));

  expect(second).toEqual(first);
  expect([model.calls.length, ran.length]).toEqual([calls, tools]);
  expect(workerModel.calls).toHaveLength(1);
  expect(first.result.finishReason).toBe('tool-calls');
  expect(first.result.usage.totalTokens).toBe(3 * 15 + 150);
  expect([...journal.entries.keys()]).toEqual([
    'run',
    'step-0/model',
    'step-0/tool/f',
    'step-0/tool/l1',
    'step-1/model',
    'step-1/tool/d/run',
    'step-1/tool/d/step-0/model',
    'step-1/tool/d',
    'step-2/model',
    'step-2/tool/p5',
  ]);
});

it('has the same result after a stop at any entry, and repeats only unrecorded calls', async () => {
  const whole = mapJournal();
  const reference = await setUp().run(whole);
  const entries = [...whole.entries];

  for (let cut = 0; cut <= entries.length; cut += 1) {
    const { keys, model, run, workerModel } = setUp();
    const known = entries.slice(0, cut);
    const left = new Set(entries.slice(cut).map(([key]) => key));

    const { events, result } = await run(mapJournal(known));

    // A run without records signs its approval again.
    const anew = left.has('step-2/model');
    expect(anew ? unsigned(events) : events).toEqual(anew ? unsigned(reference.events) : reference.events);
    expect(anew ? unsigned(result) : result).toEqual(anew ? unsigned(reference.result) : reference.result);
    expect(model.calls).toHaveLength([...left].filter((key) => /^step-\d\/model$/.test(key)).length);
    expect(workerModel.calls).toHaveLength(left.has('step-1/tool/d/step-0/model') ? 1 : 0);
    expect(keys).toEqual(left.has('step-0/tool/l1') ? ['run-1/step-0/l1'] : []);
  }
});

const unsigned = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, part) => (key === 'approvalId' || key === 'signature' ? undefined : part));

it('sends the same prompt to the model when it continues', async () => {
  const whole = mapJournal();
  const first = setUp();
  await first.run(whole);
  const again = setUp();

  const known = [...whole.entries].filter(([key]) => !key.startsWith('step-2'));
  await again.run(mapJournal(known));

  expect(again.model.calls.map(({ prompt }) => prompt)).toEqual([first.model.calls[2]?.prompt]);
});

it('does not emit delivered events again, and continues after them', async () => {
  const whole = mapJournal();
  const first = setUp();
  await first.run(whole);
  const delivered = new Set(
    [...whole.entries.keys()].filter((key) => !key.startsWith('step-2') && key !== 'step-1/tool/d'),
  );
  const seen: string[] = [];
  const { hooks, run } = setUp({ onToolEnd: (_run, { toolCallId }) => void seen.push(toolCallId) });
  const journal = mapJournal([...whole.entries].filter(([key]) => delivered.has(key)));

  const { events, result } = await run({ ...journal, isDelivered: (key) => delivered.has(key) });

  expect(events.map((event) => (event as AgentEvent).type)).toEqual([
    'finish-step',
    'start-step',
    'text-start',
    'text-delta',
    'text-end',
    'tool-call',
    'tool-call',
    'finish-step',
    'finish',
    'tool-result',
    'tool-result',
  ]);
  expect(seen).toEqual(['d', 'p5']);
  expect(hooks).toEqual(['step 1', 'step 2']);
  expect(result.fullText).toBe('Next.\n\nPaying.');
});

it('passes the same idempotency key to tools when a run is repeated', async () => {
  const { keys, run } = setUp();
  const journal = mapJournal();
  await run(journal);

  await run(mapJournal([...journal.entries].filter(([key]) => key !== 'step-0/tool/l1')));

  expect(keys).toEqual(['run-1/step-0/l1', 'run-1/step-0/l1']);
});

it('records no failure of the model and no aborted tool', async () => {
  const journal = mapJournal();
  const controller = new AbortController();
  const stop = createTool({
    name: 'stop',
    description: 'Aborts the run',
    input: Type.Object({}),
    execute: () => {
      controller.abort();
      throw new Error('stopped');
    },
  });
  const agent = new Agent({
    id: 'a',
    model: scriptedModel({ toolCalls: [{ toolName: 'stop', input: {} }] }),
    tools: [stop],
  });
  const broken = new Agent({ id: 'b', model: scriptedModel({ error: new Error('no') }) });
  const services = { logger: silentLogger };

  await expect(
    agent.generateText('Go', { journal, signal: controller.signal, services } as InternalRunOptions),
  ).rejects.toMatchObject({
    code: 'ABORTED',
  });
  await expect(
    broken.generateText('Go', {
      journal: { record: async (key, work) => journal.record(`b/${key}`, work) },
      services,
    } as InternalRunOptions),
  ).rejects.toThrow();

  expect([...journal.entries.keys()]).toEqual(['run', 'step-0/model', 'b/run']);
});

it('fails, and aborts running tools, when a result cannot be recorded', async () => {
  let signal: AbortSignal | undefined;
  const hang = createTool({
    name: 'hang',
    description: 'Hangs',
    input: Type.Object({}),
    execute: (_input, context) => {
      signal = context.signal;
      return new Promise(() => {});
    },
  });
  const quick = createTool({ name: 'quick', description: 'Ends', input: Type.Object({}), execute: () => 'ok' });
  const model = scriptedModel({
    toolCalls: [
      { toolName: 'hang', input: {}, toolCallId: 'h' },
      { toolName: 'quick', input: {}, toolCallId: 'q' },
    ],
  });
  const journal: AgentJournal = {
    record: async (key, work) => {
      const value = await work();
      if (key.endsWith('/q')) throw new Error('disk full');
      return value;
    },
  };

  await expect(
    new Agent({ id: 'a', model, tools: [hang, quick] }).generateText('Go', {
      journal,
      services: { logger: silentLogger },
    } as InternalRunOptions),
  ).rejects.toThrow('disk full');
  expect(signal?.aborted).toBe(true);
});

it('runs an approved call once, even if the run is repeated', async () => {
  const paid: unknown[] = [];
  const pay = createTool({
    name: 'pay',
    description: 'Pays',
    input: Type.Object({}),
    needsApproval: true,
    execute: () => {
      paid.push('paid');
      return 'paid';
    },
  });
  const agent = new Agent({
    id: 'a',
    model: scriptedModel({ toolCalls: [{ toolName: 'pay', input: {} }] }, 'Done.'),
    tools: [pay],
  });
  const { toolCalls } = await agent.generateText('Pay');
  const [{ approvalId = '', signature = '' } = {}] = toolCalls;
  const part = { type: 'tool-pay' as const, toolCallId: 'call-1', input: {}, state: 'approval-responded' as const };
  const input: AgentInput = [
    { role: 'user', parts: [{ type: 'text', text: 'Pay' }] },
    { role: 'assistant', parts: [{ ...part, approval: { id: approvalId, signature, approved: true } }] },
  ];
  const journal = mapJournal();

  const first = await agent.generateText(input, { journal } as InternalRunOptions);
  expect(await agent.generateText(input, { journal: mapJournal([...journal.entries]) } as InternalRunOptions)).toEqual(
    first,
  );

  expect(first.text).toBe('Done.');
  expect(paid).toHaveLength(1);
  expect([...journal.entries.keys()]).toEqual(['run', 'answers', 'answers/tool/call-1', 'step-0/model']);
});

it('has the key of the call in all keys of a sub-agent’s run', async () => {
  const asked: string[] = [];
  const whole = mapJournal();
  const isDelivered = (key: string): boolean => {
    asked.push(key);
    return key.endsWith('/run');
  };
  const within = journalWithin({ ...whole, isDelivered }, 'step-0/tool/c1');

  expect(await within.record('run', async () => 'r1')).toBe('r1');
  expect([...whole.entries]).toEqual([['step-0/tool/c1/run', '"r1"']]);
  expect([within.isDelivered?.('run'), within.isDelivered?.('step-0/model')]).toEqual([true, false]);
  expect(asked).toEqual(['step-0/tool/c1/run', 'step-0/tool/c1/step-0/model']);
  expect(Object.keys(within)).toEqual(['record', 'isDelivered']);
  expect(journalWithin(whole, 'c').isDelivered?.('run')).toBe(false);
});

it('repeats the events of sub-agents, and suspends them, where it does so for the run', () => {
  const suspensions = {
    executionId: 'e1',
    callAddress: (key: string) => `e1/${key}`,
    findResumeData: () => undefined,
    findPending: () => undefined,
    abort: () => {},
  };
  const within = journalWithin({ ...mapJournal(), repeatsEvents: true, suspensions }, 'step-0/tool/c1');
  expect(within.repeatsEvents).toBe(true);
  expect(within.suspensions?.callAddress('step-0/approval/c2')).toBe('e1/step-0/tool/c1/step-0/approval/c2');
  expect(journalWithin({ ...mapJournal(), repeatsEvents: false }, 'c')).not.toHaveProperty('repeatsEvents');
  expect(journalWithin(noJournal, 'c')).toBe(noJournal);
});

it('has a key for each call of a step, and of the answers', () => {
  expect([modelKey(0), toolKey(1, 'c1'), toolKey('answers', 'c1'), approvalKey(2, 'c1')]).toEqual([
    'step-0/model',
    'step-1/tool/c1',
    'answers/tool/c1',
    'step-2/approval/c1',
  ]);
});
