import type { AgentEvent, FollowedEvent } from '@halyard/core';

/** Tells the client that a call makes progress. Never throws. @param message is for people. */
export type Progress = (message: string) => Promise<void>;

const maxLength = 1_000;

interface Notification {
  readonly method: 'notifications/progress';
  readonly params: { readonly progressToken: string | number; readonly progress: number; readonly message: string };
}

/** Counts the progress of a call, whose total is not known. */
export function progressTo(
  progressToken: string | number,
  notify: (notification: Notification) => Promise<void>,
): Progress {
  let progress = 0;
  return async (message) => {
    progress += 1;
    const params = { progressToken, progress, message: message.slice(0, maxLength) };
    // A client that has left receives nothing; its call is aborted elsewhere.
    await notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** Describes the progress of an agent's run; undefined for events that report none. */
export function agentProgress(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'tool-call':
    case 'tool-result':
      return `${event.type} ${event.toolName}`;
    case 'start-step':
    case 'finish-step':
      return event.type;
    default:
      return undefined;
  }
}

/** Describes the progress of an execution; undefined for the events of its own start and end. */
export function executionProgress({ event }: FollowedEvent): string | undefined {
  if ('event' in event && event.type === 'agent-event') {
    const message = agentProgress(event.event as AgentEvent);
    return message && `${event.from}: ${message}`;
  }
  return event.type.startsWith('workflow-') ? undefined : `${event.type} ${event.from}`;
}
