import type { JsonValue } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { collectEvents, fixedClock, scriptedModel, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { InternalRunOptions } from '../agent-options.ts';
import { Agent } from '../agent.ts';
import type { AgentJournal } from '../loop/journal.ts';
import { type CallSuspension, RunSuspended } from '../loop/suspensions.ts';

const input = Type.Object({ euros: Type.Number() });
const payment = { toolCallId: 'c1', toolName: 'pay', input: { euros: 5 } };

/** An agent in a workflow, whose run can be suspended and repeated. */
function open(...calls: readonly { readonly toolName: string; readonly toolCallId: string }[]) {
  const entries = new Map<string, string>();
  const answers = new Map<string, JsonValue>();
  const pending = new Map<string, CallSuspension>();
  const journal: AgentJournal = {
    async record<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
      const recorded = entries.get(key);
      if (recorded !== undefined) return JSON.parse(recorded) as Value;
      const value = await work();
      entries.set(key, JSON.stringify(value));
      return value;
    },
    suspensions: {
      executionId: 'e1',
      callAddress: (key) => `e1/${key}`,
      findResumeData: (key) => {
        const data = answers.get(key);
        return data === undefined ? undefined : { data, id: 'answer-1' };
      },
      findPending: (key) => pending.get(key),
      abort: () => {},
    },
  };
  const ran: unknown[] = [];
  const model = scriptedModel({ toolCalls: calls.map((call) => ({ ...call, input: { euros: 5 } })) }, 'Done.');
  const agent = new Agent({
    id: 'a',
    model,
    tools: [
      createTool({
        name: 'pay',
        description: 'Pays',
        input,
        needsApproval: true,
        execute: () => {
          ran.push('pay');
          return 'paid';
        },
      }),
      createTool({
        name: 'look',
        description: 'Looks',
        input,
        execute: () => {
          ran.push('look');
          return 'seen';
        },
      }),
      createTool({
        name: 'ask',
        description: 'Asks its workflow',
        input,
        execute: (_, { workflow }) => {
          ran.push(['ask', workflow?.executionId, workflow?.resumeData]);
          return workflow?.resumeData === undefined ? workflow?.suspend('a question', { what: 1 }) : 'answered';
        },
      }),
      createTool({ name: 'pick', description: 'The client picks', input }),
    ],
  });
  const run = async () => {
    const stream = await agent.streamText('Go', {
      journal,
      services: { logger: silentLogger, clock: fixedClock(0), ids: { next: () => 'id' } },
    } as InternalRunOptions);
    const events = await collectEvents(stream);
    const suspensions = await stream.result.then(
      () => undefined,
      (error: unknown) => (error instanceof RunSuspended ? error.suspensions : error),
    );
    return { events: events.filter((event) => 'toolCallId' in event) as AgentEvent[], suspensions };
  };
  return { answers, entries, model, pending, ran, run };
}

const call = (toolName: string, toolCallId = 'c1') => ({ toolName, toolCallId });
const received = (model: ReturnType<typeof open>['model']) => model.calls[1]?.prompt.at(-1)?.content;

it('suspends for an approval, after the other calls of the step', async () => {
  const { entries, model, ran, run } = open(call('pay'), call('look', 'c2'));
  const { suspensions } = await run();
  expect(suspensions).toStrictEqual([
    {
      key: 'step-0/approval/c1',
      kind: 'approval',
      reason: 'Tool "pay" needs approval',
      data: { agentId: 'a', ...payment, approvalId: expect.any(String), signature: expect.any(String) },
    },
  ]);
  expect(ran).toEqual(['look']);
  expect([...entries.keys()]).toContain('step-0/tool/c2');
  expect(model.calls).toHaveLength(1);
});

it('requests the same approval again when it is repeated without an answer', async () => {
  const { ran, run } = open(call('pay'), call('look', 'c2'));
  const [first, second] = [await run(), await run()];
  expect(second.suspensions).toEqual(first.suspensions);
  expect(ran).toEqual(['look']);
});

it('runs an approved call, and records the answer', async () => {
  const { answers, entries, model, ran, run } = open(call('pay'));
  await run();
  answers.set('step-0/approval/c1', { approved: true });
  const { events, suspensions } = await run();
  expect(suspensions).toBeUndefined();
  expect(events.at(-1)).toStrictEqual({ type: 'tool-result', ...payment, output: 'paid' });
  expect(ran).toEqual(['pay']);
  expect(entries.get('step-0/approval/c1')).toBe('{"approved":true}');
  expect(received(model)).toMatchObject([{ type: 'tool-result', output: { type: 'text', value: 'paid' } }]);
});

it.each([
  [{ approved: false, reason: 'too much' }, 'Denied: too much', { type: 'execution-denied', reason: 'too much' }],
  [{ approved: false }, 'Denied', { type: 'execution-denied' }],
])('denies a call: %j', async (answer, error, output) => {
  const { answers, entries, model, ran, run } = open(call('pay'));
  await run();
  answers.set('step-0/approval/c1', answer);
  const { events, suspensions } = await run();
  expect(suspensions).toBeUndefined();
  expect(events.at(-1)).toStrictEqual({ type: 'tool-error', ...payment, error, denied: true });
  expect(ran).toEqual([]);
  expect(JSON.parse(entries.get('step-0/approval/c1') ?? '')).toEqual(answer);
  expect(received(model)).toStrictEqual([{ type: 'tool-result', toolCallId: 'c1', toolName: 'pay', output }]);
});

it('suspends for a tool that asks its workflow, and continues it with the answer', async () => {
  const { answers, entries, ran, run } = open(call('ask'), call('look', 'c2'));
  expect((await run()).suspensions).toStrictEqual([
    { key: 'step-0/tool/c1', kind: 'step', reason: 'a question', data: { what: 1 }, resumptionId: undefined },
  ]);
  expect(entries.has('step-0/tool/c1')).toBe(false);
  answers.set('step-0/tool/c1', 'yes');
  const { events, suspensions } = await run();
  expect(suspensions).toBeUndefined();
  expect(events.filter(({ type }) => type === 'tool-result').map((event) => 'output' in event && event.output)).toEqual(
    expect.arrayContaining(['seen', 'answered']),
  );
  expect(ran).toEqual([['ask', 'e1', undefined], 'look', ['ask', 'e1', 'yes']]);
});

it('does not run a tool whose suspension has no answer yet', async () => {
  const { pending, ran, run } = open(call('ask'));
  const waiting: CallSuspension = { key: 'step-0/tool/c1', kind: 'step', reason: 'a question' };
  pending.set(waiting.key, waiting);
  expect((await run()).suspensions).toEqual([waiting]);
  expect(ran).toEqual([]);
});

it('refuses a call that only a client could run', async () => {
  const { events } = await open(call('pick')).run();
  expect(events.at(-1)).toMatchObject({
    type: 'tool-error',
    error: 'Tool "pick" needs a client, which this agent does not have',
  });
});

it('emits the data of a recorded call again: the last of each id, without transient data', async () => {
  const entries = new Map<string, string>();
  const journal: AgentJournal = {
    async record<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
      const recorded = entries.get(key);
      if (recorded !== undefined) return JSON.parse(recorded) as Value;
      const value = await work();
      entries.set(key, JSON.stringify(value));
      return value;
    },
  };
  const draw = createTool({
    name: 'draw',
    description: 'Draws',
    input,
    execute: async (_, { writer }) => {
      await writer.write({ type: 'data-line', id: '1', data: 1 });
      await writer.write({ type: 'data-dot', id: '1', data: 2 });
      await writer.write({ type: 'data-line', data: 3 });
      await writer.write({ type: 'data-line', id: '2', data: 4 });
      await writer.write({ type: 'data-line', data: 5 });
      await writer.write({ type: 'data-note', data: 6, transient: true });
      await writer.write({ type: 'data-line', id: '2', data: 7 });
      return 'drawn';
    },
  });
  const model = scriptedModel({ toolCalls: [{ toolName: 'draw', input: { euros: 5 }, toolCallId: 'c1' }] }, 'Done.');
  const agent = new Agent({ id: 'a', model, tools: [draw] });
  const written = async () => {
    const stream = await agent.streamText('Go', { journal, services: { logger: silentLogger } } as InternalRunOptions);
    return (await collectEvents(stream)).flatMap((event) => (event.type === 'data' ? [event.part.data] : []));
  };
  expect(await written()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(await written()).toEqual([1, 2, 3, 7, 5]);
});

it('emits the results that a tool yields before its last one as preliminary', async () => {
  const providerMetadata = { openai: { itemId: 'x' } };
  const count = createTool({
    name: 'count',
    description: 'Counts',
    input,
    async *execute() {
      yield 'one';
      yield 'two';
    },
  });
  const made = { toolCallId: 'c1', toolName: 'count', input: { euros: 5 } };
  const agent = new Agent({
    id: 'a',
    model: scriptedModel({ parts: [{ type: 'tool-call', ...made, input: '{"euros":5}', providerMetadata }] }, 'Done.'),
    tools: [count],
  });
  const events = await collectEvents(await agent.streamText('Go', { services: { logger: silentLogger } }));
  expect(events.filter(({ type }) => type === 'tool-result')).toStrictEqual([
    { type: 'tool-result', ...made, output: 'one', preliminary: true, providerMetadata },
    { type: 'tool-result', ...made, output: 'two', preliminary: true, providerMetadata },
    { type: 'tool-result', ...made, output: 'two', providerMetadata },
  ]);
});
