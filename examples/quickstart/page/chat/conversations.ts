import type { ChatMessage } from './chat-message.ts';
import { jsonBody, request } from './request.ts';

/** This page has no sign-in, so all conversations belong to one user. */
export const userId = 'demo';

export interface Conversation {
  readonly id: string;
  /** Empty until the server has created a title. */
  readonly title: string;
  readonly updatedAt: string;
}

/** The user's conversations with an agent, newest first. */
export async function listConversations(agentId: string): Promise<readonly Conversation[]> {
  const query = new URLSearchParams({ agentId, resourceId: agentId, userId, limit: '200' });
  const { conversations } = await request<{ conversations: readonly Conversation[] }>(
    `/api/memory/conversations?${query}`,
  );
  return conversations;
}

/** The stored messages of a conversation; none of a new one. */
export async function loadMessages(agentId: string, conversationId: string): Promise<ChatMessage[]> {
  // The server does not know a new one, and its 404 would appear in the console of the browser.
  if (!(await listConversations(agentId)).some(({ id }) => id === conversationId)) return [];
  const query = new URLSearchParams({ agentId, userId, limit: '1000' });
  const { messages } = await request<{ messages: ChatMessage[] }>(
    `/api/memory/conversations/${encodeURIComponent(conversationId)}/messages?${query}`,
  );
  return messages;
}

export async function renameConversation(agentId: string, conversationId: string, title: string): Promise<void> {
  await request(
    `/api/memory/conversations/${encodeURIComponent(conversationId)}`,
    jsonBody('PATCH', { agentId, userId, title }),
  );
}

export async function deleteConversation(agentId: string, conversationId: string): Promise<void> {
  const query = new URLSearchParams({ agentId, userId });
  await request(`/api/memory/conversations/${encodeURIComponent(conversationId)}?${query}`, { method: 'DELETE' });
}

/** The conversation that was last open in this browser, or a new one, so that a reload continues the conversation. */
export function currentConversation(agentId: string): string {
  return localStorage.getItem(keyOf(agentId)) ?? enterConversation(agentId, crypto.randomUUID());
}

export function enterConversation(agentId: string, conversationId: string): string {
  localStorage.setItem(keyOf(agentId), conversationId);
  return conversationId;
}

function keyOf(agentId: string): string {
  return `halyard-conversation-${agentId}`;
}
