import { HalyardError, UnavailableError } from '@halyard/contracts';
import type { ExecutionQueue } from './execution-queue.ts';

/** @throws UnavailableError when the queue is full, HalyardError (`TOO_MANY_EXECUTIONS`) when this subject has used up its share of it. */
export function checkRoom(queue: ExecutionQueue, subject: string | undefined): void {
  if (!queue.hasRoom()) throw new UnavailableError('OVERLOADED', 'Too many executions are waiting to run');
  if (queue.hasRoom(subject)) return;
  throw new HalyardError(
    'rate-limited',
    'TOO_MANY_EXECUTIONS',
    'Too many of your executions are waiting to run: wait until some have ended',
  );
}
