import { executionStoreCases } from '@halyard/conformance';
import { describe, expect, it } from 'vitest';
import { createInMemoryStorage } from '../in-memory-storage.ts';

describe('the executions of an in-memory storage', () => {
  it.each(executionStoreCases)('$name', async ({ run }) => {
    let time = 1_750_000_000_000;
    const advance = (ms: number): void => void (time += ms);
    const { executions } = createInMemoryStorage({ clock: { now: () => time } });
    await expect(run({ store: executions, advance })).resolves.toBeUndefined();
  });
});
