import type { FollowedEvent } from '@halyard/core';
import { type ExecutionFollower, toStreamEvent } from '@halyard/core/server';

/** The events of an execution as SSE frames. */
export async function* executionFrames(
  executionId: string,
  follower: ExecutionFollower,
): AsyncGenerator<readonly string[], void, undefined> {
  for await (const batch of follower.batches()) yield batch.map((followed) => executionFrame(executionId, followed));
}

/**
 * A stored event carries its number, which a client sends as `Last-Event-ID`; a live event has
 * none.
 */
function executionFrame(executionId: string, followed: FollowedEvent): string {
  if (followed.seq !== undefined)
    return `id: ${followed.seq}\ndata: ${openText(executionId, followed.event)},"seq":${followed.seq}}\n\n`;
  const event = toStreamEvent(followed.event.event);
  return event === undefined ? '' : `data: ${openText(executionId, { ...followed.event, event })}}\n\n`;
}

/**
 * Fields are added to the text of the event, which is not copied that way. Ids need no escaping.
 */
function openText(executionId: string, event: object): string {
  return `${JSON.stringify(event).slice(0, -1)},"executionId":"${executionId}"`;
}
