import type { UIMessage } from 'ai';
import type { SubAgentEvent } from './sub-agent-activity.ts';

/** A message of the AI SDK. The server also sends the events of sub-agents while an answer is generated. */
export type ChatMessage = UIMessage<unknown, { 'agent-event': SubAgentEvent }>;

export function textOf({ parts }: ChatMessage): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n\n')
    .trim();
}
