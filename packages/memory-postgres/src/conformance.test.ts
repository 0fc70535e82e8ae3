import { executionStoreCases } from '@halyard/conformance';
import { describe, expect, it } from 'vitest';
import { inMemoryOpener } from './open-embedded.ts';
import { openForTests } from './testing/open-for-test.ts';

describe('the executions of an embedded database', () => {
  const database = openForTests(async () => inMemoryOpener());

  it.each(executionStoreCases)('$name', async ({ run }) => {
    await database.empty();
    const { advance, storage } = database;
    await expect(run({ store: storage.executions, advance })).resolves.toBeUndefined();
  });
});
