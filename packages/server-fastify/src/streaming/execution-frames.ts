import type { ExecutionFollower, FollowedEvent } from '@halyard/core';
import type { EventSource } from '../define/define-stream.ts';

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

  get isOver(): boolean {
    return this.#follower.isOver;
  }

  cancel(): void {
    this.#follower.cancel();
  }
}

/**
 * Events that are stored carry their number, from which a client goes on; live ones have none. What is added to an event is added to its text: an id
 * needs no escaping.
 */
function executionFrame(executionId: string, { event, seq }: FollowedEvent): string {
  const text = `${JSON.stringify(event).slice(0, -1)},"executionId":"${executionId}"`;
  return seq === undefined ? `data: ${text}}\n\n` : `id: ${seq}\ndata: ${text},"seq":${seq}}\n\n`;
}
