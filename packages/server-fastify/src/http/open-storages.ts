import type { Storage } from '@halyard/contracts';
import type { Services } from '../api/services.ts';

/** After this time the log names the part that the start waits for. */
const silentMs = 1_000;

/**
 * Waits until each storage and vector store has made its first attempt to open, at most for
 * `limitMs`. Then a normal start serves no request too early, and a mistake in the settings ends
 * the start.
 *
 * @throws ConfigurationError when one of them cannot be opened until somebody acts.
 */
export async function openStorages(
  { memories, agentServices: { logger }, storage }: Pick<Services, 'memories' | 'agentServices' | 'storage'>,
  limitMs: number,
): Promise<void> {
  const ofMemories = memories.all.flatMap((memory) => [memory.storage, memory.vectors]);
  const parts: readonly object[] = [storage, ...ofMemories].filter((part) => part !== undefined);
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timers = [
    setTimeout(() => logger.info({}, 'opening the storage'), Math.min(silentMs, limitMs)),
    setTimeout(resolve, limitMs),
  ];
  try {
    await Promise.race([Promise.all([...new Set(parts)].filter(opens).map((part) => part.opened())), late]);
  } finally {
    timers.forEach(clearTimeout);
  }
}

/** A memory may use only some stores of a storage, and not every part needs opening. */
function opens(part: object): part is Required<Pick<Storage, 'opened'>> {
  return 'opened' in part && typeof part.opened === 'function';
}
