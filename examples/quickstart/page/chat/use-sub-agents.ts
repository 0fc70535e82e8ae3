import { useCallback, useEffect, useState } from 'react';
import { type SubAgentActivities, type SubAgentEvent, withEvent } from './sub-agent-activity.ts';

/**
 * The work of the sub-agents in a conversation. The server streams it but does not store it in the conversation, so this browser keeps it.
 */
export function useSubAgents(conversationId: string): {
  readonly subAgents: SubAgentActivities;
  readonly onSubAgentEvent: (event: SubAgentEvent) => void;
} {
  const [subAgents, setSubAgents] = useState(() => readSubAgents(conversationId));
  useEffect(() => {
    const isSettled = Object.values(subAgents).every(({ isRunning }) => !isRunning);
    if (isSettled && Object.keys(subAgents).length > 0)
      localStorage.setItem(keyOf(conversationId), JSON.stringify(subAgents));
  }, [conversationId, subAgents]);
  const onSubAgentEvent = useCallback((event: SubAgentEvent) => setSubAgents((known) => withEvent(known, event)), []);
  return { subAgents, onSubAgentEvent };
}

export function forgetSubAgents(conversationId: string): void {
  localStorage.removeItem(keyOf(conversationId));
}

function readSubAgents(conversationId: string): SubAgentActivities {
  const stored = localStorage.getItem(keyOf(conversationId));
  return stored === null ? {} : (JSON.parse(stored) as SubAgentActivities);
}

function keyOf(conversationId: string): string {
  return `halyard-sub-agents-${conversationId}`;
}
