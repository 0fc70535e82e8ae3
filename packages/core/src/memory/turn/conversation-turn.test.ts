import { expect, it, vi } from 'vitest';
import { ConversationTurn } from './conversation-turn.ts';

function open() {
  const onEnd = vi.fn<() => void>();
  const onStop = vi.fn<(why: string) => void>();
  return { onEnd, onStop, turn: new ConversationTurn(7, onEnd) };
}

it('ends once', () => {
  const { onEnd, turn } = open();
  expect([turn.leasedAt, turn.hasEnded]).toEqual([7, false]);
  turn.end();
  turn.end();
  expect(turn.hasEnded).toBe(true);
  expect(onEnd).toHaveBeenCalledTimes(1);
});

it('tells its run that it is to stop, and why', () => {
  const { onStop, turn } = open();
  turn.onStop(onStop);
  expect(onStop).not.toHaveBeenCalled();
  turn.stop();
  turn.stop('lost');
  expect(onStop.mock.calls).toEqual([['interrupted'], ['lost']]);
});

it('tells a run that begins later', () => {
  const { onStop, turn } = open();
  turn.stop('lost');
  turn.onStop(onStop);
  expect(onStop.mock.calls).toEqual([['lost']]);
});
