import type { ConversationStore, WaitingMessage } from '@halyard/contracts';
import type { FaultTable } from '../faults.ts';
import { all, type ConversationFault, whole } from './conversation-fault.ts';

/** Faults of the list of messages that wait for an approval. */
export const waitingFaults: FaultTable<ConversationFault> = {
  // Lists what waits in the order of creation.
  'lists the newest messages that wait for an approval, those of the last change first': (store) => ({
    listWaiting: async (owner, limit) =>
      (await waiting(store, owner, limit)).toSorted(
        (one, other) => one.conversation.createdAt - other.conversation.createdAt,
      ),
  }),
  // Lists each message that waited at any time.
  'lists nothing that was answered, that the user has written after, or that only mentions an approval': (store) => ({
    listWaiting: async (owner) => {
      const { conversations } = await store.list(owner, all);
      const pages = await Promise.all(conversations.map(({ id }) => store.messages(owner, id, whole)));
      return pages.flatMap((page) =>
        (page?.messages ?? [])
          .filter(({ parts }) => JSON.stringify(parts).includes('approval-requested'))
          .flatMap((message) => (page === undefined ? [] : [{ conversation: page.conversation, message }])),
      );
    },
  }),
  'lists what waits for the owner only, in as many conversations as asked for': (store) => ({
    listWaiting: (owner) => waiting(store, owner, 100),
  }),
  'lists what waits in the named conversations only': (store) => ({
    listWaiting: (owner, limit, maxBytes) => waiting(store, owner, limit, maxBytes),
  }),
  'leaves the largest messages that wait out of a list with a limit of bytes': (store) => ({
    listWaiting: (owner, limit) => waiting(store, owner, limit),
  }),
};

async function waiting(
  store: ConversationStore,
  owner: Parameters<ConversationStore['list']>[0],
  limit: number,
  maxBytes?: number,
): Promise<readonly WaitingMessage[]> {
  return (await store.listWaiting?.(owner, limit, maxBytes)) ?? [];
}
