import type { Message } from '@halyard/contracts';

export function textMessage(id: string, role: Message['role'], text: string): Message {
  return { id, role, parts: [{ type: 'text', text }] };
}
