import { InvalidInputError, type Owner } from '@halyard/contracts';
import type { ConversationFault } from './conversation-fault.ts';

const alike = 'treats data of another user like data that does not exist, and does not change it';

/** Faults of ownership. */
export const ownerFaults: readonly ConversationFault[] = [
  ...ownerless(),
  [
    'reveals that an id belongs to another user',
    alike,
    (store) => ({
      find: async (owner, id) => {
        const found = await store.find(owner, id);
        if (found === undefined && (await store.isTaken(id))) throw new InvalidInputError('This is not yours');
        return found;
      },
    }),
  ],
  [
    'treats “anyone” as the name of a user',
    'allows every operation to the owner and to anyone',
    (store) => ({
      messages: async (owner, id, filter) =>
        owner === 'anyone' ? store.messages({ user: 'anyone' }, id, filter) : store.messages(owner, id, filter),
    }),
  ],
  [
    'lists the conversations of all users',
    'lists and counts only data of the owner',
    (store) => ({ list: (_owner, filter) => store.list('anyone', filter) }),
  ],
  [
    'counts the conversations of other users',
    'lists and counts only data of the owner',
    (store) => ({
      list: async (owner, filter) => {
        const { conversations } = await store.list(owner, filter);
        return { conversations, total: (await store.list('anyone', filter)).total };
      },
    }),
  ],
  [
    'writes to the conversation of another user',
    'creates and writes nothing when another user has the id',
    (store) => ({ save: (owner, save) => store.save(save.create === undefined ? owner : 'anyone', save) }),
  ],
];

/** Stores that ignore the owner in one method each. */
function ownerless(): readonly ConversationFault[] {
  return [
    ['ignores the owner when it finds', alike, (store) => ({ find: (_owner, id) => store.find('anyone', id) })],
    [
      'returns messages to every user',
      alike,
      (store) => ({ messages: (_owner, id, filter) => store.messages('anyone', id, filter) }),
    ],
    [
      'returns filtered messages to every user',
      alike,
      (store) => ({
        messages: (owner, id, filter) => store.messages(filter.roles === undefined ? owner : 'anyone', id, filter),
      }),
    ],
    [
      'ignores the owner when it finds messages',
      alike,
      (store) => ({ findMessages: (_owner, id, ids) => store.findMessages('anyone', id, ids) }),
    ],
    [
      'counts messages for every user',
      alike,
      (store) => ({ countMessages: (_owner, id, before) => store.countMessages('anyone', id, before) }),
    ],
    [
      'ignores the owner when it updates',
      alike,
      (store) => ({ update: (_owner, id, change) => store.update('anyone', id, change) }),
    ],
    ['ignores the owner when it writes', alike, (store) => ({ save: (_owner, save) => store.save('anyone', save) })],
    ['ignores the owner when it deletes', alike, (store) => ({ delete: (_owner, id) => store.delete('anyone', id) })],
    [
      'ignores the owner when it deletes messages',
      alike,
      (store) => ({ deleteMessages: (_owner, id, ids) => store.deleteMessages('anyone', id, ids) }),
    ],
    [
      'ignores the owner when it copies',
      alike,
      (store) => ({ clone: (_owner, clone) => store.clone('anyone', clone) }),
    ],
    [
      'treats owners as a pattern',
      alike,
      (store) => ({ find: (owner, id) => store.find(isPattern(owner) ? 'anyone' : owner, id) }),
    ],
  ];
}

function isPattern(owner: Owner): boolean {
  return owner !== 'anyone' && owner.user.includes('%');
}
