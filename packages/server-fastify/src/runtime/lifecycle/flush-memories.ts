import type { Logger } from '@halyard/contracts';
import type { Memory } from '@halyard/core';
import { finishesWithin } from '@halyard/core/server';
import { isCheckable } from './is-checkable.ts';

type FlushedMemory = Pick<Memory, 'flush'> & { readonly storage: object };

/** How long a storage may take to respond. */
const checkMs = 4_000;

/**
 * Waits until memories have finished their background work, for `limitMs` at most. Not for a memory
 * whose storage does not respond: it can save nothing. Never rejects. The app closes its memories.
 */
export async function flushMemories(
  memories: readonly FlushedMemory[],
  limitMs: number,
  logger: Logger,
): Promise<void> {
  if (memories.length === 0) return;
  const flushed = Promise.all(memories.map((memory) => flush(memory, limitMs, logger)));
  if (!(await finishesWithin(flushed, limitMs))) logger.warn({ limitMs }, 'the memories did not finish in time');
}

async function flush(memory: FlushedMemory, limitMs: number, logger: Logger): Promise<void> {
  try {
    if (await finishesWithin(check(memory.storage), Math.min(checkMs, limitMs))) await memory.flush();
    else logger.error({}, 'a memory could not finish: its storage does not respond');
  } catch (error) {
    logger.error({ err: error }, 'a memory could not finish');
  }
}

async function check(storage: object): Promise<void> {
  if (isCheckable(storage)) await storage.check();
}
