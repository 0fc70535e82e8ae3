import type { Owner, Storage } from '@halyard/contracts';

/** Methods with an owner parameter. */
type Owned<Store> = {
  [Name in keyof Store]: Store[Name] extends (owner: infer First, ...rest: never[]) => unknown
    ? [First, Owner] extends [Owner, First]
      ? Name
      : never
    : never;
}[keyof Store];

/**
 * `publish` names no data of a user: api/routes/workflows/events.test.ts tests whose executions it
 * reaches.
 */
type NamesData<Store> = Exclude<Owned<Store>, 'publish'>;

interface Things {
  readonly conversationId: string;
  /** Waits. */
  readonly executionId: string;
  readonly suspensionId: string;
  /** The number of its last event. */
  readonly seq: number;
  readonly userId: string;
}

type StoreCall = (storage: Storage, owner: Owner, things: Things) => Promise<unknown>;
type Stores = 'conversations' | 'executions' | 'workingMemory';
type StoreCalls = { readonly [Store in Stores]: Readonly<Record<NamesData<Storage[Store]>, StoreCall>> };

const page = { limit: 200, offset: 0 };

/**
 * A call of every store method with an owner parameter, on the data of one user. The type requires
 * an entry for each new method.
 */
export const storeCalls: StoreCalls = {
  conversations: {
    find: ({ conversations }, owner, { conversationId }) => conversations.find(owner, conversationId),
    list: ({ conversations }, owner, { userId }) =>
      conversations.list(owner, { userId, orderBy: 'createdAt', direction: 'asc', ...page }),
    update: ({ conversations }, owner, { conversationId }) =>
      conversations.update(owner, conversationId, { title: 'changed' }),
    clone: async ({ conversations }, owner, { conversationId }) =>
      conversations.clone(owner, { id: conversationId, newId: `${conversationId}-copy`, includeMessages: true }),
    messages: ({ conversations }, owner, { conversationId }) =>
      conversations.messages(owner, conversationId, { limit: 10 }),
    countMessages: ({ conversations }, owner, { conversationId }) =>
      conversations.countMessages(owner, conversationId, Infinity),
    findMessages: ({ conversations }, owner, { conversationId }) =>
      conversations.findMessages(owner, conversationId, ['m1']),
    save: ({ conversations }, owner, { conversationId }) =>
      conversations.save(owner, { conversationId, messages: [{ id: 'm1', role: 'user', parts: [] }] }),
    deleteMessages: ({ conversations }, owner, { conversationId }) =>
      conversations.deleteMessages(owner, conversationId, ['m1']),
    delete: ({ conversations }, owner, { conversationId }) => conversations.delete(owner, conversationId),
  },
  workingMemory: {
    read: ({ workingMemory }, owner, { conversationId }) =>
      workingMemory.read(owner, { scope: 'conversation', conversationId }),
    update: ({ workingMemory }, owner, { userId }) => workingMemory.update(owner, { scope: 'user', userId }, () => 'x'),
  },
  executions: {
    find: ({ executions }, owner, { executionId }) => executions.find(owner, executionId),
    list: ({ executions }, owner, { userId }) => executions.list(owner, { parentExecutionId: null, userId, ...page }),
    journal: ({ executions }, owner, { executionId }) => executions.journal(owner, executionId),
    events: ({ executions }, owner, { executionId }) => executions.events(owner, executionId, { after: 0, limit: 10 }),
    histories: async ({ executions }, owner, { executionId }) => [
      ...(await executions.histories(owner, [executionId], 10)),
    ],
    resume: ({ executions }, owner, { executionId, suspensionId }) =>
      executions.resume(owner, { executionId, suspensionId, data: { by: 'x' }, requestId: `r-${executionId}` }),
    request: ({ executions }, owner, { executionId }) =>
      executions.request(owner, executionId, { kind: 'cancel', reason: 'x' }),
    terminate: ({ executions }, owner, { executionId }) => executions.terminate(owner, executionId, {}),
    rewind: ({ executions }, owner, { executionId, seq }) =>
      executions.rewind(owner, { executionId, expectedSeq: seq, expectedSignals: 0, paths: ['price'], entries: [] }),
  },
};
