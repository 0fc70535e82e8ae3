import type { JsonValue } from '@halyard/contracts';
import { expect, it } from 'vitest';
import type { AgentEvent } from '../../agent/agent-event.ts';
import { noUsage } from '../../agent/usage.ts';
import type { FollowedEvent } from '../../workflow/follow/follow-execution.ts';
import { ResumedStep } from './resumed-step.ts';
import { live, ScriptedFollower, stored } from './testing/scripted-follower.ts';

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3, cachedInputTokens: 4, reasoningTokens: 5 };
const delta: AgentEvent = { type: 'text-delta', id: 't', delta: 'Paid.' };
const ended = stored('workflow-result', { status: 'completed' }, 'flow');
const request = { approvalId: 'a2', signature: 'sig', toolCallId: 'c2', toolName: 'pay', input: { euros: 5 } };

async function follow(...batches: readonly (readonly FollowedEvent[])[]) {
  const step = new ResumedStep('ask', new ScriptedFollower(...batches));
  step.start();
  const events: AgentEvent[] = [];
  for await (const batch of step.batches()) events.push(...batch);
  return { events, ending: step.ending };
}

const suspended = (suspendData: JsonValue, stepId = 'ask') =>
  stored('workflow-suspended', { suspension: { stepId, suspendData } }, 'flow');

it('emits the events between the start and the end of a run, and ends as the run', async () => {
  const { ending, events } = await follow(
    [live({ type: 'start' }), live({ type: 'start-step' }), live(delta)],
    [
      live({ type: 'finish-step', finishReason: 'stop', usage }),
      live({ type: 'finish', finishReason: 'length', usage }),
    ],
    [stored('step-complete', { output: 'Paid.' })],
  );

  expect(events).toEqual([{ type: 'start-step' }, delta, { type: 'finish-step', finishReason: 'stop', usage }]);
  expect(ending).toEqual({ type: 'finish', finishReason: 'length', usage });
});

it('leaves out the events of other steps, also their errors and ends', async () => {
  const { ending, events } = await follow([
    live(delta, 'other'),
    stored('step-error', { error: 'no' }, 'other'),
    stored('step-complete', { output: 'other' }, 'other'),
    suspended(request, 'other'),
    live(delta),
    stored('step-complete', { output: 'mine' }),
  ]);

  expect(events).toEqual([delta]);
  expect(ending).toEqual({ type: 'finish', finishReason: 'stop', usage: noUsage });
});

it('emits the events of a sub-agent, whose end is not that of the run', async () => {
  const inner: AgentEvent[] = [
    { type: 'start', agentId: 'b' },
    { type: 'start-step', agentId: 'b' },
    { ...delta, agentId: 'b' },
    { type: 'finish', finishReason: 'length', usage, agentId: 'b' },
  ];
  const { ending, events } = await follow([...inner.map((event) => live(event)), suspended('anything')]);

  expect(events).toEqual(inner);
  expect(ending).toEqual({ type: 'finish', finishReason: 'tool-calls', usage: noUsage });
});

it('does not end with the error of a run, which its step may retry', async () => {
  const { ending, events } = await follow(
    [live({ type: 'error', error: 'first' }), live({ type: 'abort' }), live(delta)],
    [live({ type: 'finish', finishReason: 'stop', usage }), stored('step-complete')],
  );

  expect(events).toEqual([delta]);
  expect(ending).toEqual({ type: 'finish', finishReason: 'stop', usage });
});

it('emits a live event before the stored event that it caused, in whichever order they arrive', async () => {
  const { ending, events } = await follow([
    stored('step-complete', { output: 'Paid.' }),
    live(delta),
    live({ type: 'finish', finishReason: 'stop', usage }),
  ]);

  expect(events).toEqual([delta]);
  expect(ending).toEqual({ type: 'finish', finishReason: 'stop', usage });
});

it.each<readonly [string, JsonValue | undefined, string]>([
  ['a text', 'Paid.', 'Paid.'],
  ['another value as JSON', { euros: 5 }, '{"euros":5}'],
  ['no value as null', undefined, 'null'],
])('emits the output of a step that another process ran: %s', async (_, output, text) => {
  const { ending, events } = await follow([stored('step-complete', output === undefined ? {} : { output })]);

  expect(events).toEqual([
    { type: 'start-step' },
    { type: 'text-start', id: 't0' },
    { type: 'text-delta', id: 't0', delta: text },
    { type: 'text-end', id: 't0' },
    { type: 'finish-step', finishReason: 'stop', usage: noUsage },
  ]);
  expect(ending).toEqual({ type: 'finish', finishReason: 'stop', usage: noUsage });
});

it('does not repeat as output the text that was live', async () => {
  expect((await follow([live(delta), stored('step-complete', { output: 'Paid.' })])).events).toEqual([delta]);
});

it('emits the output of a step whose sub-agent alone was live', async () => {
  const inner: AgentEvent = { ...delta, agentId: 'b' };
  const { events } = await follow([live(inner), stored('step-complete', { output: 'Paid.' })]);

  expect(events).toContainEqual({ type: 'text-delta', id: 't0', delta: 'Paid.' });
});

it('finishes a step of the run that waits for an approval', async () => {
  const { ending, events } = await follow([live({ type: 'start-step' }), suspended(request)]);

  expect(ending).toEqual({ type: 'finish', finishReason: 'tool-calls', usage: noUsage });
  expect(events).toEqual([
    { type: 'start-step' },
    { type: 'tool-call', ...request },
    { type: 'finish-step', finishReason: 'tool-calls', usage: noUsage },
  ]);
});

it('finishes no step of a run that fails', async () => {
  const { events } = await follow([live({ type: 'start-step' }), stored('step-error', { error: 'no' })]);

  expect(events).toEqual([{ type: 'start-step' }]);
});

it('requests each approval once', async () => {
  const call: AgentEvent = { type: 'tool-call', ...request };
  expect((await follow([live(call), suspended(request)])).events).toEqual([call]);
  // The first suspension ends the step: another one in its batch has a call of its own.
  expect((await follow([suspended(request), suspended(request)])).events).toEqual([call]);
  expect((await follow([suspended(request), suspended({ ...request, approvalId: 'a3' })])).events).toEqual([
    call,
    { ...call, approvalId: 'a3' },
  ]);
});

it.each(['approvalId', 'signature', 'toolCallId', 'toolName'])('requests no approval without its %s', async (field) => {
  expect((await follow([suspended({ ...request, [field]: 7 })])).events).toEqual([]);
});

it.each<readonly [string, JsonValue]>([
  ['a text', 'please'],
  ['null', null],
  ['a list', [request]],
])('requests no approval for a step that was suspended with %s', async (_, data) => {
  const { ending, events } = await follow([suspended(data)]);

  expect(events).toEqual([]);
  expect(ending).toEqual({ type: 'finish', finishReason: 'tool-calls', usage: noUsage });
});

it('stops reading when the step has ended', async () => {
  const { ending, events } = await follow([stored('step-error', { error: 'no' })], [live(delta), ended]);

  expect(events).toEqual([]);
  expect(ending).toEqual({ type: 'error', error: 'no', code: 'STEP_FAILED' });
});

it.each([
  ['the failed step', stored('step-error', { error: 'no' }), { error: 'no', code: 'STEP_FAILED' }],
  [
    'a failed step without a text',
    stored('step-error', { error: 7 }),
    { error: 'The step failed', code: 'STEP_FAILED' },
  ],
  [
    'the failed workflow',
    stored('workflow-result', { status: 'error', error: { message: 'no', code: 'BROKEN' } }, 'flow'),
    { error: 'no', code: 'BROKEN' },
  ],
  [
    'a failed workflow without a text',
    stored('workflow-result', { status: 'error' }, 'flow'),
    { error: 'The workflow failed', code: 'WORKFLOW_FAILED' },
  ],
])('ends with the error of %s', async (_, event, error) => {
  expect((await follow([event])).ending).toEqual({ type: 'error', ...error });
});

it.each([
  ['waits again', 'suspended', { type: 'finish', finishReason: 'tool-calls', usage: noUsage }],
  ['aborts', 'cancelled', { type: 'abort' }],
  ['aborts', 'completed', { type: 'abort' }],
])('%s when the execution is %s before its step has ended', async (_, status, ending) => {
  expect((await follow([stored('workflow-result', { status }, 'flow')])).ending).toEqual(ending);
});

it('keeps its first ending', async () => {
  expect((await follow([stored('step-error', { error: 'no' }), ended])).ending).toMatchObject({ error: 'no' });
  expect((await follow([stored('step-complete'), ended])).ending).toMatchObject({ finishReason: 'stop' });
  expect((await follow([ended, stored('step-error', { error: 'no' })])).ending).toEqual({ type: 'abort' });
  expect((await follow([ended, suspended(request)])).ending).toEqual({ type: 'abort' });
});

it('throws the failure of the events that it follows', async () => {
  const step = new ResumedStep('ask', {
    // oxlint-disable-next-line require-yield
    batches: async function* () {
      throw new Error('deleted');
    },
    stop: () => {},
  });
  step.start();
  await expect(step.batches().next()).rejects.toThrow('deleted');
});

it('stops following when its reader leaves', async () => {
  const follower = new ScriptedFollower([live(delta)], [live(delta)], [live(delta)]);
  const step = new ResumedStep('ask', follower);
  step.start();
  for await (const _ of step.batches()) break;
  expect(follower.stops).toBeLessThanOrEqual(1);
  step.stop();
  expect(follower.stops).toBeGreaterThan(0);
});
