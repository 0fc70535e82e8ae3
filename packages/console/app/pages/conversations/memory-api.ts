import { currentCredential, isRestricted, useCredential, useIsOwner } from '../../access/credential.ts';
import { api, readData } from '../../api/client.ts';
import type { components, operations } from '../../api/schema.ts';

export type Conversation = components['schemas']['Conversation'];
export type StoredMessage = components['schemas']['StoredMessage'];
export type WorkingMemory = components['schemas']['WorkingMemory'];
export type SearchResult = components['schemas']['MemorySearchResult']['results'][number];
type ListQuery = Partial<NonNullable<operations['listConversations']['parameters']['query']>>;

/*
 * The console key and a role read conversations below `/observability`, and change none. A user's
 * token, and a server without access control, use the routes of users.
 */
function isOperator(): boolean {
  return currentCredential() !== undefined && !isRestricted();
}

/** Whether conversations can be changed, not only read. */
export function useCanChange(): boolean {
  return useCredential() === undefined || isRestricted();
}

/** Whether conversations and users can be deleted: a role has a name, unlike the key. */
export function useCanDelete(): boolean {
  const canChange = useCanChange();
  const hasKey = useCredential()?.kind === 'key';
  return useIsOwner() ? !hasKey : canChange;
}

export function readConversations(
  query: ListQuery,
  signal: AbortSignal,
): Promise<{ readonly conversations: readonly Conversation[]; readonly total: number }> {
  const request = { params: { query: query }, signal };
  return isOperator()
    ? readData(api.GET('/observability/conversations', request))
    : readData(api.GET('/api/memory/conversations', request));
}

export function readMessages(
  conversationId: string,
  query: { readonly agentId?: string; readonly before?: string | undefined; readonly limit?: number },
  signal: AbortSignal,
): Promise<{
  readonly conversation: Conversation;
  readonly messages: readonly StoredMessage[];
  readonly hasMore: boolean;
}> {
  const request = { params: { path: { conversationId }, query: query }, signal };
  return isOperator()
    ? readData(api.GET('/observability/conversations/{conversationId}/messages', request))
    : readData(api.GET('/api/memory/conversations/{conversationId}/messages', request));
}

export function readWorkingMemory(
  conversationId: string,
  query: { readonly agentId?: string | undefined },
  signal: AbortSignal,
): Promise<WorkingMemory> {
  const request = { params: { path: { conversationId }, query: query }, signal };
  return isOperator()
    ? readData(api.GET('/observability/conversations/{conversationId}/working-memory', request))
    : readData(api.GET('/api/memory/conversations/{conversationId}/working-memory', request));
}

export function searchMessages(
  query: {
    readonly searchQuery: string;
    readonly agentId?: string | undefined;
    readonly userId?: string | undefined;
    readonly limit: number;
  },
  signal: AbortSignal,
): Promise<{ readonly results: readonly SearchResult[] }> {
  const request = { params: { query: query }, signal };
  return isOperator()
    ? readData(api.GET('/observability/memory/search', request))
    : readData(api.GET('/api/memory/search', request));
}

/** The path of a user's export. */
export function exportPath(userId: string): string {
  // Spans and log records are in the export for operators only.
  const place = isRestricted() ? 'api/memory' : 'observability';
  return `${place}/users/${encodeURIComponent(userId)}/export`;
}
