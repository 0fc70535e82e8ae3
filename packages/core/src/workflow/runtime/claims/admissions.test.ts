import type { DueExecution, ExecutionStore } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { expect, it, vi } from 'vitest';
import type { AgentServices } from '../../../services/agent-services.ts';
import { fixedClock } from '../../../testing/index.ts';
import { Admissions } from './admissions.ts';

const admitted: DueExecution = {
  executionId: 'a',
  workflowId: 'order',
  userId: null,
  priority: 0,
  claimsWithoutCommit: 0,
};

/** Admissions whose storage answers what the test sets. */
function open() {
  const store: ExecutionStore = new InMemoryExecutionStore(fixedClock());
  const warnings: string[] = [];
  const onAdmitted = vi.fn<() => void>();
  const logger = { warn: (_fields: object, message: string) => void warnings.push(message) };
  const admissions = new Admissions({
    store,
    services: { logger } as unknown as AgentServices,
    onAdmitted,
  });
  return {
    admissions,
    onAdmitted,
    warnings,
    admit: vi.spyOn(store, 'admit').mockResolvedValue([]),
    waitingKeys: vi.spyOn(store, 'waitingKeys').mockResolvedValue([]),
  };
}

it('tells that executions are due when the storage admits some for a key that was freed', async () => {
  const { admissions, admit, onAdmitted } = open();
  admit.mockResolvedValue([admitted]);
  await admissions.freed('key');
  expect(admit.mock.calls).toEqual([[['key']]]);
  expect(onAdmitted).toHaveBeenCalledOnce();
});

it('admits keys that are freed during a call of the storage with one more call', async () => {
  const { admissions, admit } = open();
  const answered = Promise.withResolvers<readonly DueExecution[]>();
  admit.mockReturnValueOnce(answered.promise);
  const first = admissions.freed('a');
  await Promise.all([admissions.freed('b'), admissions.freed('c'), admissions.freed('b')]);
  expect(admit.mock.calls).toEqual([[['a']]]);
  answered.resolve([]);
  await first;
  expect(admit.mock.calls).toEqual([[['a']], [['b', 'c']]]);
  await admissions.freed('d');
  expect(admit.mock.calls.at(-1)).toEqual([['d']]);
});

it('looks at other keys with each sweep, and begins again after the last ones', async () => {
  const { admissions, admit, waitingKeys } = open();
  const page = Array.from({ length: 100 }, (_, index) => `key-${index}`);
  waitingKeys.mockResolvedValueOnce(page).mockResolvedValueOnce(['last']);
  for (let sweep = 0; sweep < 3; sweep += 1) await admissions.sweep();
  expect(waitingKeys.mock.calls).toEqual([
    ['', 100],
    ['key-99', 100],
    ['', 100],
  ]);
  expect(admit.mock.calls).toEqual([[page], [['last']]]);
});

it('goes on after a failure of the storage, and logs it', async () => {
  const { admissions, admit, warnings, waitingKeys } = open();
  admit.mockRejectedValueOnce(new TypeError('no connection'));
  await admissions.freed('a');
  waitingKeys.mockRejectedValueOnce(new TypeError('no connection'));
  await admissions.sweep();
  expect(warnings).toEqual([
    'waiting executions could not be admitted; a sweep tries again',
    'waiting executions could not be read from the storage',
  ]);
  await admissions.freed('a');
  expect(admit).toHaveBeenCalledTimes(2);
});
