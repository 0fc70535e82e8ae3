import { executionStoreCases } from '@halyard/conformance';
import { describe, expect, it } from 'vitest';
import { InMemoryExecutionStore } from './in-memory-execution-store.ts';

describe('InMemoryExecutionStore', () => {
  it.each(executionStoreCases)('$name', async ({ run }) => {
    let now = 1_750_000_000_000;
    const store = new InMemoryExecutionStore({ now: () => now });
    await run({
      store,
      advance: (ms) => {
        now += ms;
      },
    });
    expect(store.size).toBeGreaterThanOrEqual(0);
  });
});
