import type { Logger } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fixedClock, sequentialIds, silentLogger } from '../../testing/index.ts';
import { createApprovals } from './approvals.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('lets nobody answer whose check by the app takes longer than its time', async () => {
  const error = vi.fn<Logger['error']>();
  const approvals = createApprovals({
    secrets: ['secret'],
    store: createInMemoryStorage().approvals,
    clock: fixedClock(),
    ids: sequentialIds(),
    mayAnswer: ({ user }) => (user.id === 'kim' ? true : new Promise<boolean>(() => {})),
    logger: { ...silentLogger, error },
  });
  const request = { kind: 'tool', requesterId: 'ada', approvers: undefined } as const;
  const may = (id: string) => approvals.mayAnswer(undefined, request, { user: { id }, isOperator: false });
  const answers = Promise.all([may('kim'), may('lee')]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await answers).toEqual([true, false]);
  expect(error).toHaveBeenCalledOnce();
  expect(error.mock.calls[0]?.[0]).toMatchObject({ err: { code: 'TIME_LIMIT_EXCEEDED' } });
  expect(vi.getTimerCount()).toBe(0);
});
