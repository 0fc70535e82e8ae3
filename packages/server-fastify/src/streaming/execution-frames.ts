import type { ExecutionFollower, FollowedEvent } from '@halyard/core';
import type { EventSource } from '../define/define-stream.ts';
import { frame } from './frame.ts';

/** The events of an execution as SSE frames. */
export class ExecutionFrames implements EventSource<string> {
  readonly #executionId: string;
  readonly #follower: ExecutionFollower;

  constructor(executionId: string, follower: ExecutionFollower) {
    this.#executionId = executionId;
    this.#follower = follower;
  }

  async nextBatch(): Promise<readonly string[] | undefined> {
    const batch = await this.#follower.nextBatch();
    return batch?.map((followed) => executionFrame(this.#executionId, followed));
  }

  cancel(): void {
    this.#follower.cancel();
  }
}

/** Events that are stored carry their number, from which a client goes on; live ones have none. */
function executionFrame(executionId: string, { event, seq }: FollowedEvent): string {
  if (seq === undefined) return frame({ ...event, executionId });
  return `id: ${seq}\n${frame({ ...event, executionId, seq })}`;
}
