import { expect, it } from 'vitest';
import { type Operation, skipReason } from './bulk-operations.ts';

it.each<readonly [Operation, readonly string[]]>([
  ['cancel', ['running', 'suspended']],
  ['resume', ['suspended']],
  ['retry', ['error']],
  ['replay', ['running', 'suspended', 'completed', 'error', 'cancelled']],
])('%s changes executions in the states %j, and says why it skips others', (operation, changed) => {
  for (const status of ['running', 'suspended', 'completed', 'error', 'cancelled'] as const) {
    const reason = skipReason(operation, { status });
    if (changed.includes(status)) expect(reason).toBeUndefined();
    else expect(reason).toMatch(/^it /);
  }
});
