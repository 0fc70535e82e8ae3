import type { ConversationStore, WaitingMessage } from '@halyard/contracts';
import { all, type ConversationFault, whole } from './conversation-fault.ts';

const newest = 'lists the newest messages that wait for an approval, those of the last change first';
const onlyWaiting =
  'lists nothing that was answered, that the user has written after, or that only mentions an approval';
const ofOwner = 'lists what waits for the owner only, in as many conversations as asked for';
const largest = 'leaves the largest messages that wait out of a list with a limit of bytes';

/** Faults of the list of messages that wait for an approval. */
export const waitingFaults: readonly ConversationFault[] = [
  [
    'lists what waits in the order of creation',
    newest,
    (store) => ({
      listWaiting: async (owner, limit) =>
        (await waiting(store, owner, limit)).toSorted(
          (one, other) => one.conversation.createdAt - other.conversation.createdAt,
        ),
    }),
  ],
  [
    'lists each message that waited at any time',
    onlyWaiting,
    (store) => ({
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
  ],
  [
    'lists what waits of every user',
    ofOwner,
    (store) => ({ listWaiting: (_owner, limit) => waiting(store, 'anyone', limit) }),
  ],
  [
    'looks through more conversations than asked for',
    ofOwner,
    (store) => ({ listWaiting: (owner) => waiting(store, owner, 100) }),
  ],
  [
    'lists what waits whatever its size',
    largest,
    (store) => ({ listWaiting: (owner, limit) => waiting(store, owner, limit) }),
  ],
];

async function waiting(
  store: ConversationStore,
  owner: Parameters<ConversationStore['list']>[0],
  limit: number,
): Promise<readonly WaitingMessage[]> {
  return (await store.listWaiting?.(owner, limit)) ?? [];
}
