import { systemClock } from '@halyard/contracts';
import { fixedClock } from '@halyard/core/testing';
import type { OpenedStorage } from '../storage.ts';
import { conversationCount, conversationIdOf, planHistory, runCount } from './plan-history.ts';
import { hourMs } from './times.ts';
import { writeHistory } from './write-history.ts';

/**
 * Fills an empty database with the history of the 14 days before this hour. Once: later starts find
 * it.
 */
export async function beginHistory({ storage, vectors, writeAt }: OpenedStorage, secret: string): Promise<void> {
  if (await storage.conversations.isTaken(conversationIdOf(0))) return;
  const startedAt = systemClock.now();
  // Not the beginning of the day: the newest runs would be from yesterday, and the last 24 hours
  // half empty.
  const base = Math.floor(startedAt / hourMs) * hourMs;
  const events = await planHistory(base);
  const clock = fixedClock(base);
  process.stdout.write(`\n  Writing a history of 14 days: ${conversationCount} conversations, ${runCount} runs `);
  writeAt(clock);
  try {
    const onProgress = (done: number): void => {
      if (done % Math.ceil(events.length / 20) === 0) process.stdout.write('.');
    };
    await writeHistory({ events, clock, secret, storage, vectors, onProgress });
  } finally {
    writeAt(undefined);
  }
  console.log(` ${((systemClock.now() - startedAt) / 1_000).toFixed(0)} s`);
}
