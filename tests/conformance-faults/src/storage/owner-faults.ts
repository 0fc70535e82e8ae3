import type { Owner } from '@halyard/contracts';
import type { FaultTable } from '../faults.ts';
import { passing, type ConversationFault, ownerless } from './conversation-fault.ts';

/** Faults of ownership. */
export const ownerFaults: FaultTable<ConversationFault> = {
  'allows every operation to the owner and to anyone': (store) => ({
    messages: async (owner, id, filter) =>
      owner === 'anyone' ? store.messages({ user: 'anyone' }, id, filter) : store.messages(owner, id, filter),
  }),
  'lists and counts only data of the owner': passing('list', (_owner, filter) => ['anyone', filter]),
  'creates and writes nothing when another user has the id': passing('save', (owner, save) => [
    save.create === undefined ? owner : 'anyone',
    save,
  ]),
  'treats data of another user like data that does not exist, and does not change it': [
    ...ownerless(
      'find',
      'messages',
      'findMessages',
      'countMessages',
      'update',
      'save',
      'delete',
      'deleteMessages',
      'clone',
    ),
    passing('find', (owner, id) => [isPattern(owner) ? 'anyone' : owner, id]),
  ],
};

function isPattern(owner: Owner): boolean {
  return owner !== 'anyone' && owner.user.includes('%');
}
