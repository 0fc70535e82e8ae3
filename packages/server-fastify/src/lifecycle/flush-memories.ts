import type { Logger } from '@halyard/contracts';
import { type Memory, settlesWithin } from '@halyard/core';

/** Waits until memories have written what they do in the background, for `limitMs` at most. Never rejects. The app closes its memories. */
export async function flushMemories(
  memories: readonly Pick<Memory, 'flush'>[],
  limitMs: number,
  logger: Logger,
): Promise<void> {
  if (memories.length === 0) return;
  const flushed = Promise.all(memories.map((memory) => flush(memory, logger)));
  if (!(await settlesWithin(flushed, limitMs))) logger.warn({ limitMs }, 'the memories did not finish in time');
}

async function flush(memory: Pick<Memory, 'flush'>, logger: Logger): Promise<void> {
  try {
    await memory.flush();
  } catch (error) {
    logger.error({ err: error }, 'a memory could not finish');
  }
}
