import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIsRestricted } from '../../access/credential.ts';
import { FilterSelect, FilterText, SearchField } from '../../ui/filters.tsx';
import { Page } from '../../ui/page.tsx';
import { ConversationList, ConversationTotal } from './conversation-list.tsx';
import { SearchResults } from './search-results.tsx';
import { useAgentsWithMemory } from './use-agents-with-memory.ts';
import type { ConversationSearch } from './use-conversations.ts';

const route = getRouteApi('/conversations');

const orders = [
  { value: 'created_at', name: 'first message' },
  { value: 'title', name: 'title' },
];

/**
 * The conversations of all users, or of the one whose token the console has; a search finds
 * messages by their meaning.
 */
export function ConversationsPage(): ReactNode {
  const search: ConversationSearch = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: Partial<ConversationSearch>): void => {
    void navigate({ search: { ...search, ...changed }, replace: true });
  };
  const agents = useAgentsWithMemory();
  const isRestricted = useIsRestricted();
  const { agentId, direction, order, q, userId } = search;
  return (
    <Page
      title="Conversations"
      about={q === undefined && <ConversationTotal search={search} />}
      isFilled
      bar={
        <>
          <SearchField label="Search messages by meaning" value={q} onChange={(next) => change({ q: next })} />
          <FilterSelect label="Agent" value={agentId} options={agents} onChange={(next) => change({ agentId: next })} />
          {q === undefined && (
            <>
              <FilterSelect
                label="Order"
                value={order}
                options={orders}
                all="last change"
                onChange={(next) => change({ order: next })}
              />
              <FilterSelect
                label="From"
                value={direction}
                options={[{ value: 'asc', name: order === 'title' ? 'A' : 'oldest' }]}
                all={order === 'title' ? 'Z' : 'newest'}
                onChange={(next) => change({ direction: next })}
              />
            </>
          )}
          {!isRestricted && <FilterText label="User" value={userId} onChange={(next) => change({ userId: next })} />}
          {userId !== undefined && (
            <Link to="/users/$userId" params={{ userId }}>
              Everything of {userId}
            </Link>
          )}
        </>
      }
    >
      {q === undefined ? (
        <ConversationList
          search={search}
          {...(!isRestricted && { onUser: (next: string) => change({ userId: next }) })}
        />
      ) : (
        <SearchResults query={q} agentId={agentId} userId={userId} />
      )}
    </Page>
  );
}
