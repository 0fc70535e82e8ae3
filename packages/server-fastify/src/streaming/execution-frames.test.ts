import type { AgentEvent, FollowedEvent } from '@halyard/core';
import type { ExecutionFollower } from '@halyard/core/server';
import { expect, it } from 'vitest';
import { executionFrames } from './execution-frames.ts';

const timestamp = '2026-01-01T00:00:00.000Z';
const live = (event: AgentEvent): FollowedEvent => ({
  seq: undefined,
  event: { type: 'agent-event', from: 'ask', timestamp, event },
});

async function framesOf(...batches: readonly (readonly FollowedEvent[])[]): Promise<(readonly string[])[]> {
  const follower: Pick<ExecutionFollower, 'batches'> = {
    async *batches() {
      yield* batches;
    },
  };
  const frames: (readonly string[])[] = [];
  for await (const batch of executionFrames('e1', follower as ExecutionFollower)) frames.push(batch);
  return frames;
}

it('sends a stored event with its number as its id', async () => {
  const event = { type: 'step-complete', from: 'ask', timestamp, output: { text: 'a\n"b"' } };
  const [[frame = ''] = []] = await framesOf([{ seq: 7, event }]);

  expect(frame).toBe(
    `id: 7\ndata: {"type":"step-complete","from":"ask","timestamp":"${timestamp}","output":{"text":"a\\n\\"b\\""},"executionId":"e1","seq":7}\n\n`,
  );
});

it('sends a live event as raw streams have it, without a number', async () => {
  const file = { mediaType: 'image/png', url: 'https://a.b/c.png' };
  const frames = await framesOf(
    [live({ type: 'text-delta', id: 't', delta: 'a' })],
    [live({ type: 'reasoning-file', ...file })],
  );

  expect(frames.flat().map((frame) => JSON.parse(frame.replace(/^data: /, '')) as unknown)).toEqual([
    {
      type: 'agent-event',
      from: 'ask',
      timestamp,
      event: { type: 'text-delta', id: 't', delta: 'a' },
      executionId: 'e1',
    },
    { type: 'agent-event', from: 'ask', timestamp, event: { type: 'file', ...file }, executionId: 'e1' },
  ]);
  for (const frame of frames.flat()) expect(frame).toMatch(/^data: [^\n]*\n\n$/);
});

it('sends nothing for a live event that raw streams do not have', async () => {
  expect(await framesOf([live({ type: 'custom', kind: 'openai.compaction' })])).toEqual([['']]);
});
