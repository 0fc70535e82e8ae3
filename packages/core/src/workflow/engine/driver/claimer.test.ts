import { type ClaimedExecution, type ExhaustedExecution, type NextExecutions, silentLogger } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { describe, expect, it, vi } from 'vitest';
import { fixedClock } from '../../../testing/index.ts';
import { Claimer } from './claimer.ts';

const leaseMs = 9_000;
const nothing: NextExecutions = { claimed: [], exhausted: [], hasLeftOut: false, nextDueInMs: undefined };

/** A process with `slots` slots, whose executions run until `end` is called. */
function openClaimer(slots: number) {
  const clock = fixedClock();
  const store = new InMemoryExecutionStore(clock);
  const running = new Set<string>();
  const quarantined: ExhaustedExecution[] = [];
  const dueIn: number[] = [];
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) };
  const claimer = new Claimer({
    leases: store,
    services: { logger },
    lease: { runner: 'here', leaseMs },
    definitions: { order: 'order' },
    freeSlots: () => slots - running.size,
    begin: () => (claimed: ClaimedExecution) => void running.add(claimed.execution.id),
    quarantine: async (exhausted) => void quarantined.push(exhausted),
    onDueIn: (dueInMs) => dueIn.push(dueInMs),
  });
  const create = async (count: number, dueInMs = 0, subject?: string): Promise<void> => {
    const fields = { workflowId: 'order', workflowName: 'order', input: null, context: {}, metadata: {} };
    for (let index = 0; index < count; index += 1) {
      const id = `run-${store.size}`;
      await store.create({ id, ...fields, workflowState: {}, events: [] }, { requestId: id, dueInMs, subject });
    }
  };
  const end = (id: string): void => {
    running.delete(id);
    claimer.slotFreed();
  };
  const claimNext = vi.spyOn(store, 'claimNext');
  return { claimer, claimNext, clock, create, dueIn, end, quarantined, running, store, warnings };
}

describe('a claimer', () => {
  it('claims as many executions as slots are free, and the others when a slot is', async () => {
    const { claimer, create, end, running } = openClaimer(2);
    await create(4);
    await claimer.claim();
    expect([...running]).toEqual(['run-0', 'run-1']);
    end('run-0');
    await vi.waitFor(() => expect([...running]).toEqual(['run-1', 'run-2']), { timeout: 120_000 });
    end('run-1');
    await vi.waitFor(() => expect([...running]).toEqual(['run-2', 'run-3']), { timeout: 120_000 });
  });

  it('does not ask the store without a free slot, nor for a slot that is free when nothing more was due', async () => {
    const { claimer, claimNext, create, end, running } = openClaimer(2);
    await create(1);
    await claimer.claim();
    expect([...running]).toEqual(['run-0']);
    expect(claimNext).toHaveBeenCalledTimes(1);
    end('run-0');
    expect(claimNext).toHaveBeenCalledTimes(1);

    await create(2);
    await claimer.claim();
    claimNext.mockClear();
    await claimer.claim();
    expect(claimNext).not.toHaveBeenCalled();
  });

  it('asks once more, after the call on its way, for what became due during it', async () => {
    const { claimer, claimNext, create, running } = openClaimer(8);
    const answer = Promise.withResolvers<NextExecutions>();
    claimNext.mockReturnValueOnce(answer.promise);
    const claiming = claimer.claim();
    await create(3);
    await claimer.claim();
    await claimer.claim();
    expect(claimNext).toHaveBeenCalledTimes(1);
    answer.resolve(nothing);
    await claiming;
    expect(claimNext).toHaveBeenCalledTimes(2);
    expect(running.size).toBe(3);
  });

  it('asks again while more is due than one call claims', async () => {
    const { claimer, claimNext, create, running } = openClaimer(256);
    await create(250);
    await claimer.claim();
    expect(running.size).toBe(250);
    expect(claimNext.mock.calls.map(([, { limit }]) => limit)).toEqual([100, 100, 56]);
  });

  it('reserves the slots for which it asks', async () => {
    const { claimer, claimNext, create, running } = openClaimer(3);
    const answer = Promise.withResolvers<NextExecutions>();
    claimNext.mockReturnValueOnce(answer.promise);
    const claiming = claimer.claim();
    expect(claimer.reservedSlots).toBe(3);
    answer.resolve(nothing);
    await claiming;
    expect(claimer.reservedSlots).toBe(0);
    await create(1);
    await claimer.claim();
    expect([claimer.reservedSlots, running.size]).toEqual([0, 1]);
  });

  it('tells when the next execution is due', async () => {
    const { claimer, clock, create, dueIn, running } = openClaimer(3);
    await create(1, 5_000);
    await claimer.claim();
    expect(dueIn).toEqual([5_000]);
    clock.advance(5_000);
    await claimer.claim();
    expect([dueIn, running.size]).toEqual([[5_000], 1]);
  });

  it('pauses when others are claiming due executions', async () => {
    const { claimer, claimNext, dueIn } = openClaimer(3);
    claimNext.mockResolvedValueOnce({ ...nothing, nextDueInMs: 0 });
    await claimer.claim();
    expect([dueIn, claimNext.mock.calls.length]).toEqual([[100], 1]);
  });

  it('asks for executions beyond the share of their subject when a slot is free, and not before', async () => {
    const { claimer, claimNext, create, dueIn, end, running, store } = openClaimer(4);
    await create(5, 0, 'eve');
    await claimer.claim();
    expect([...running]).toEqual(['run-0', 'run-1', 'run-2']);
    expect([dueIn, claimNext.mock.calls.length]).toEqual([[], 1]);
    await store.terminate('anyone', 'run-0', {});
    end('run-0');
    await vi.waitFor(() => expect([...running]).toEqual(['run-1', 'run-2', 'run-3']), { timeout: 10_000 });
    expect([dueIn, claimNext.mock.calls.length]).toEqual([[], 2]);
  });

  it('quarantines an execution that was claimed 8 times without a commit', async () => {
    const { claimer, clock, create, quarantined, running, store } = openClaimer(3);
    await create(2);
    for (let claims = 1; claims <= 8; claims += 1) {
      await store.claim('run-0', { runner: `dead-${claims}`, leaseMs });
      clock.advance(leaseMs);
    }
    await claimer.claim();
    expect(quarantined).toEqual([{ executionId: 'run-0', workflowId: 'order', claimsWithoutCommit: 8 }]);
    expect([...running]).toEqual(['run-1']);
  });

  it('asks again after a failure of the store, with its slots', async () => {
    const { claimer, claimNext, create, dueIn, running, warnings } = openClaimer(3);
    await create(1);
    claimNext.mockRejectedValueOnce(new TypeError('no connection'));
    await claimer.claim();
    expect([dueIn, claimer.reservedSlots, running.size]).toEqual([[], 0, 0]);
    expect(warnings).toEqual(['due executions could not be claimed; they are asked for again soon']);
    await claimer.claim();
    expect(running.size).toBe(1);
  });
});
