import type { UIMessage } from 'ai';

/** This page has no sign-in, so all conversations belong to one user. */
export const userId = 'demo';

export interface Conversation {
  readonly id: string;
  readonly title: string;
  readonly createdAt: string;
}

/** The user's conversations with an agent, newest first. */
export async function listConversations(agentId: string): Promise<readonly Conversation[]> {
  const query = new URLSearchParams({ agentId, resourceId: agentId, userId, limit: '200' });
  const response = await fetch(`/api/memory/conversations?${query}`);
  if (!response.ok) throw new Error(await errorOf(response));
  const { data } = (await response.json()) as { data: { conversations: readonly Conversation[] } };
  return data.conversations;
}

/** The stored messages of a conversation. */
export async function loadMessages(agentId: string, conversationId: string): Promise<UIMessage[]> {
  const query = new URLSearchParams({ agentId, userId, limit: '1000' });
  const response = await fetch(`/api/memory/conversations/${conversationId}/messages?${query}`);
  if (!response.ok) throw new Error(await errorOf(response));
  const { data } = (await response.json()) as { data: { messages: UIMessage[] } };
  return data.messages;
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

async function errorOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: string };
  return error;
}
