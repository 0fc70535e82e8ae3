import { createInMemoryStorage } from '@halyard/memory-in-memory';

/** In memory: everything is lost when the process ends. */
export function openStorage() {
  return createInMemoryStorage();
}
