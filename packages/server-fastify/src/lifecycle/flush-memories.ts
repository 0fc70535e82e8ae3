import type { Logger } from '@halyard/contracts';
import type { Memory } from '@halyard/core';

/** Waits until memories have written what they do beside requests, `limitMs` at most. Resolves in any case. They stay open: they are the app's. */
export async function flushMemories(
  memories: readonly Pick<Memory, 'flush'>[],
  limitMs: number,
  logger: Logger,
): Promise<void> {
  if (memories.length === 0) return;
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(resolve, limitMs, 'late' as const);
  const flushed = Promise.all(memories.map((memory) => flush(memory, logger)));
  const outcome = await Promise.race([flushed, late]);
  clearTimeout(timer);
  if (outcome === 'late') logger.warn({ limitMs }, 'the memories did not finish in time');
}

async function flush(memory: Pick<Memory, 'flush'>, logger: Logger): Promise<void> {
  try {
    await memory.flush();
  } catch (error) {
    logger.error({ err: error }, 'a memory could not finish');
  }
}
