import { executionStoreCases } from '@halyard/conformance';
import { describe, expect, it } from 'vitest';
import { createInMemoryStorage } from './in-memory-storage.ts';

describe('the executions of an in-memory storage', () => {
  it.each(executionStoreCases)('$name', async ({ run }) => {
    let now = 1_750_000_000_000;
    const { executions } = createInMemoryStorage({ clock: { now: () => now } });
    const advance = (ms: number): void => {
      now += ms;
    };
    await expect(run({ store: executions, advance })).resolves.toBeUndefined();
  });
});
