import { expect, it } from 'vitest';
import { redactPii } from './redact-pii.ts';

const pieces = ['a', '1', '1 ', 'a.', 'A1 ', '(', '+', 'DE89 '];
const run = { context: {}, user: undefined, userId: undefined, conversationId: undefined };

it('checks a long text in linear time', async () => {
  await cpuTime(25_000);
  const some = await cpuTime(25_000);
  const more = await cpuTime(100_000);

  // In quadratic time, it would be 16.
  expect(more / some).toBeLessThan(7);
});

/** The CPU time of checking texts that repeat a piece so often. */
async function cpuTime(times: number): Promise<number> {
  const before = process.cpuUsage();
  for (const piece of pieces)
    await redactPii().processOutput?.({ text: piece.repeat(times), source: 'text', isComplete: false }, run);
  return process.cpuUsage(before).user;
}
