import { expect, it } from 'vitest';
import type { AgentEvent } from '../../agent/agent-event.ts';
import { noUsage } from '../../agent/usage.ts';
import type { FollowedEvent } from '../../workflow/follow/follow-execution.ts';
import { collectText } from '../collect-text.ts';
import { ResumedRun } from './resumed-run.ts';
import { ResumedStep } from './resumed-step.ts';
import { live, ScriptedFollower, stored } from './testing/scripted-follower.ts';

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3, cachedInputTokens: 4, reasoningTokens: 5 };
const delta = (text: string): AgentEvent => ({ type: 'text-delta', id: 't', delta: text });
const said = (text: string) => live(delta(text));
const finished = (finishReason: 'stop' | 'length' | 'tool-calls') => [
  live({ type: 'finish', finishReason, usage }),
  stored('step-complete', { output: '' }),
];
const failed = (error: string) => stored('step-error', { error });
const cancelled = stored('workflow-result', { status: 'cancelled' }, 'flow');

function continued(steps: readonly (readonly FollowedEvent[])[], signal?: AbortSignal) {
  const followers = steps.map((events) => new ScriptedFollower(events));
  const run = new ResumedRun(
    followers.map((follower) => new ResumedStep('ask', follower)),
    signal,
  );
  return { followers, run };
}

async function eventsOf(run: ResumedRun): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const batch of run.batches()) events.push(...batch);
  return events;
}

it('is one run: a start, the events of each step in order, and an end with the usage of all', async () => {
  const { followers, run } = continued([
    [said('One'), ...finished('stop')],
    [said('Two'), ...finished('length')],
  ]);

  expect(await eventsOf(run)).toEqual([
    { type: 'start' },
    delta('One'),
    delta('Two'),
    {
      type: 'finish',
      finishReason: 'length',
      usage: { promptTokens: 2, completionTokens: 4, totalTokens: 6, cachedInputTokens: 8, reasoningTokens: 10 },
    },
  ]);
  expect(followers.map(({ stops }) => stops)).toEqual([1, 1]);
});

it.each<readonly [string, readonly (readonly FollowedEvent[])[], AgentEvent]>([
  ['an error, which wins over a finish', [finished('stop'), [failed('no')]], { type: 'error', error: 'no' }],
  ['an error, which wins over an abort', [[failed('no')], [cancelled]], { type: 'error', error: 'no' }],
  ['the first of two errors', [[failed('first')], [failed('second')]], { type: 'error', error: 'first' }],
  ['an abort, which wins over a finish', [[cancelled], finished('stop')], { type: 'abort' }],
  ['an abort, which wins over an earlier finish', [finished('stop'), [cancelled]], { type: 'abort' }],
  [
    'the wait of any step for an approval',
    [finished('tool-calls'), [failed('no')].slice(1)],
    { type: 'finish', finishReason: 'tool-calls', usage },
  ],
])('ends with %s', async (_, steps, end) => {
  expect((await eventsOf(continued(steps).run)).at(-1)).toEqual(end);
});

it.each([
  ['first', [finished('tool-calls'), finished('stop')]],
  ['last', [finished('stop'), finished('tool-calls')]],
])('waits for an approval when the %s step does', async (_, steps) => {
  expect((await eventsOf(continued(steps).run)).at(-1)).toMatchObject({ finishReason: 'tool-calls' });
});

it('ends with an abort when its signal is aborted, and sends nothing more of its steps', async () => {
  const stop = new AbortController();
  const { followers, run } = continued([[said('One'), ...finished('stop')]], stop.signal);
  const events: AgentEvent[] = [];
  for await (const batch of run.batches()) {
    events.push(...batch);
    stop.abort();
  }

  expect(events).toEqual([{ type: 'start' }, { type: 'abort' }]);
  expect(run.ending).toEqual({ type: 'abort' });
  expect(followers[0]?.stops).toBe(1);
});

it('stops following all steps when its reader leaves', async () => {
  const { followers, run } = continued([[said('One')], [said('Two')]]);
  for await (const _ of run.batches()) break;
  expect(followers.map(({ stops }) => stops)).toEqual([1, 1]);
});

it('is collected as the reply with the texts of all steps, and the calls and results of the agent itself', async () => {
  const call = { toolCallId: 'c1', toolName: 'pay', input: { euros: 5 } };
  const { run } = continued([
    [
      live({ type: 'start-step' }),
      said('Lost '),
      // A failed attempt is repeated.
      live({ type: 'start-step' }),
      said('I pay '),
      said('now.'),
      live({ type: 'text-delta', id: 't', delta: 'inner', agentId: 'b' }),
      live({ type: 'tool-call', ...call, approvalId: 'a1', signature: 'sig' }),
      live({ type: 'tool-call', ...call, toolCallId: 'c2' }),
      live({ type: 'tool-call', ...call, toolCallId: 'c3', providerExecuted: true }),
      live({ type: 'tool-result', ...call, output: 'paying', preliminary: true }),
      live({ type: 'tool-result', ...call, output: 'paid' }),
      live({ type: 'tool-result', ...call, output: 'found', providerExecuted: true }),
      live({ type: 'finish-step', finishReason: 'tool-calls', usage }),
      live({ type: 'start-step' }),
      live({ type: 'finish-step', finishReason: 'stop', usage }),
      live({ type: 'start-step' }),
      said('Done.'),
      live({ type: 'finish-step', finishReason: 'stop', usage }),
      ...finished('stop'),
    ],
  ]);

  expect(await collectText(run, 'talk')).toStrictEqual({
    text: 'I pay now.\n\nDone.',
    usage,
    finishReason: 'stop',
    toolCalls: [
      { ...call, approvalId: 'a1', signature: 'sig' },
      { ...call, toolCallId: 'c2' },
    ],
    toolResults: [{ ...call, output: 'paid' }],
    conversationId: 'talk',
  });
});

it('is collected without usage when it was aborted, and without a conversation when it has none', async () => {
  expect(await collectText(continued([[cancelled]]).run, undefined)).toStrictEqual({
    text: '',
    usage: noUsage,
    finishReason: 'other',
    toolCalls: [],
    toolResults: [],
  });
});

it('fails to be collected with the error of its step', async () => {
  await expect(collectText(continued([[said('Hm'), failed('no money')]]).run, 'talk')).rejects.toMatchObject({
    kind: 'failed',
    code: 'STEP_FAILED',
    message: 'no money',
  });
});
