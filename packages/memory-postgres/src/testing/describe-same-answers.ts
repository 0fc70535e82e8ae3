import type { Commit, ExecutionStore } from '@halyard/contracts';
import { isHalyardError } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { assert, asyncProperty, context } from 'fast-check';
import { expect, it } from 'vitest';
import { everything, operations } from './execution-operations/execution-operations.ts';
import { type Call, hour } from './execution-operations/operation.ts';
import type { StorageForTests } from './open-for-test.ts';

const startTime = Date.UTC(2026, 0, 1);

interface SameAnswersOptions {
  readonly runs: number;
  /** Of the random calls. Default: another one for each run of the test, which a failure names. */
  readonly seed?: number | undefined;
}

/**
 * Declares a test that makes random calls on a storage and on the store in memory, and compares the
 * replies.
 */
export function describeSameAnswers(database: StorageForTests, { runs, seed }: SameAnswersOptions): void {
  it('executions have the same answers as those in memory, for random calls', { timeout: 600_000 }, async () => {
    await assert(
      asyncProperty(operations, context(), async (sequence, calls) => {
        await database.empty();
        let now = startTime;
        const inMemory = new InMemoryExecutionStore({ now: () => now });
        const tested = database.storage.executions;
        const commits = new Map<string, Commit>();
        for (const [number, prepare] of sequence.entries()) {
          now += hour;
          database.advance(now - database.now());
          const call = await prepare({ number, now, commits, find: (id) => inMemory.find('anyone', id) });
          calls.log(`${call.method}(${call.parameters.map((one) => JSON.stringify(one)).join(', ')})`);
          const expected = await answerOf(inMemory, call.answer);
          expect(await answerOf(tested, call.answer)).toEqual(expected);
        }
        expect(await answerOf(tested, everything)).toEqual(await answerOf(inMemory, everything));
      }),
      { numRuns: runs, ...(seed !== undefined && { seed }) },
    );
  });
}

async function answerOf(store: ExecutionStore, answer: Call['answer']): Promise<unknown> {
  try {
    return inHours(await answer(store));
  } catch (error) {
    if (!isHalyardError(error)) throw error;
    return { failed: error.code };
  }
}

const times: readonly string[] = ['createdAt', 'updatedAt', 'endedAt', 'quarantinedAt', 'waitingSince', 'now'];

/**
 * The same value with the times that the store measured in whole hours: a call takes some
 * milliseconds.
 */
function inHours(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inHours);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      typeof member === 'number' ? inWholeHours(key, member) : inHours(member),
    ]),
  );
}

function inWholeHours(key: string, value: number): number {
  // It may be any time between two calls.
  if (key === 'dueAt') return Math.floor(value / hour);
  return times.includes(key) ? Math.round(value / hour) : value;
}
