import type { ExecutionFollower, FollowedEvent } from '@halyard/core';

/** The events of an execution as SSE frames. */
export async function* executionFrames(
  executionId: string,
  follower: ExecutionFollower,
): AsyncGenerator<readonly string[], void, undefined> {
  for await (const batch of follower.batches()) yield batch.map((followed) => executionFrame(executionId, followed));
}

/** A stored event carries its number, which a client sends as `Last-Event-ID`; a live event has none. */
function executionFrame(executionId: string, { event, seq }: FollowedEvent): string {
  // Fields are added to the text of the event, which is not copied that way. Ids need no escaping.
  const text = `${JSON.stringify(event).slice(0, -1)},"executionId":"${executionId}"`;
  return seq === undefined ? `data: ${text}}\n\n` : `id: ${seq}\ndata: ${text},"seq":${seq}}\n\n`;
}
