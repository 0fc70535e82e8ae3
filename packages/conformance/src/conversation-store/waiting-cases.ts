import type { ConversationStore, Message, Owner } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import { ada, ben } from '../sample-owners.ts';
import type { ConversationStoreCase } from './conversation-store-harness.ts';
import { begin, sampleConversation, sampleMessage, save } from './sample-conversations.ts';

const second = 1_000;

/** A reply whose tool call waits for an approval. */
function waitingMessage(id: string): Message {
  return sampleMessage(id, {
    role: 'assistant',
    parts: [
      { type: 'text', text: 'One moment.' },
      {
        type: 'tool-pay',
        toolCallId: `call-${id}`,
        state: 'approval-requested',
        input: { euros: 1 },
        approval: { id: `approval-${id}`, signature: 'signed' },
      },
    ],
  });
}

/** The conversations and messages that wait, in order. A store without the list passes. */
async function waitingIn(
  store: ConversationStore,
  owner: Owner,
  limit = 10,
  maxBytes?: number,
): Promise<readonly string[] | undefined> {
  const list = await store.listWaiting?.(owner, limit, maxBytes);
  return list?.map(({ conversation, message }) => `${conversation.id} ${message.id}`);
}

function checkWaiting(found: readonly string[] | undefined, expected: readonly string[], what: string): void {
  if (found !== undefined) checkEqual(found, expected, what);
}

/** Optional: a store without `listWaiting` passes them. */
export const waitingCases: readonly ConversationStoreCase[] = [
  {
    name: 'lists the newest messages that wait for an approval, those of the last change first',
    run: async ({ store, advance }) => {
      for (const id of ['c-1', 'c-2', 'c-3']) {
        await begin(store, id, `question-${id}`);
        await advance(second);
      }
      await save(store, 'c-1', [waitingMessage('m-1')]);
      await advance(second);
      await save(store, 'c-2', [waitingMessage('m-2'), sampleMessage('summary', { role: 'system' })]);
      checkWaiting(await waitingIn(store, 'anyone'), ['c-2 m-2', 'c-1 m-1'], 'What waits');
      const [first] = (await store.listWaiting?.('anyone', 10)) ?? [];
      if (first === undefined) return;
      checkEqual(first.conversation, await store.find('anyone', 'c-2'), 'The conversation');
      checkEqual([first.message], await store.findMessages('anyone', 'c-2', ['m-2']), 'The message');
    },
  },
  {
    name: 'lists nothing that was answered, that the user has written after, or that only mentions an approval',
    run: async ({ store }) => {
      for (const id of ['c-1', 'c-2', 'c-3']) await begin(store, id, `question-${id}`);
      for (const id of ['c-1', 'c-2']) await save(store, id, [waitingMessage(`m-${id}`)]);
      await save(store, 'c-1', [sampleMessage('never mind')]);
      await save(store, 'c-2', [sampleMessage('m-c-2', { role: 'assistant' })]);
      const text = '{"state":"approval-requested"} "approval-requested"';
      await save(store, 'c-3', [sampleMessage('m-3', { role: 'assistant', parts: [{ type: 'text', text }] })]);
      checkWaiting(await waitingIn(store, 'anyone'), [], 'What waits');
    },
  },
  {
    name: 'lists what waits for the owner only, in as many conversations as asked for',
    run: async ({ store, advance }) => {
      for (const [id, userId] of [
        ['c-1', 'ada'],
        ['c-2', 'ben'],
        ['c-3', 'ada'],
      ] as const) {
        await store.create(sampleConversation(id, { userId }));
        await save(store, id, [waitingMessage(`m-${id}`)]);
        await advance(second);
      }
      checkWaiting(await waitingIn(store, ada), ['c-3 m-c-3', 'c-1 m-c-1'], 'What waits of Ada');
      checkWaiting(await waitingIn(store, ben), ['c-2 m-c-2'], 'What waits of Ben');
      checkWaiting(await waitingIn(store, 'anyone', 2), ['c-3 m-c-3', 'c-2 m-c-2'], 'What waits in two conversations');
    },
  },
  {
    name: 'lists what waits in the named conversations only',
    run: async ({ store, advance }) => {
      for (const id of ['c-1', 'c-2', 'c-3']) {
        await begin(store, id, `question-${id}`);
        await save(store, id, [waitingMessage(`m-${id}`)]);
        await advance(second);
      }
      const named = async (owner: Owner, limit: number, ids: readonly string[]) =>
        (await store.listWaiting?.(owner, limit, undefined, ids))?.map(({ message }) => message.id);
      checkWaiting(await named('anyone', 10, ['c-1', 'c-3', 'unknown']), ['m-c-3', 'm-c-1'], 'What waits');
      checkWaiting(await named('anyone', 1, ['c-1', 'c-2', 'c-2']), ['m-c-2'], 'What waits within the limit');
      checkWaiting(await named('anyone', 10, []), [], 'What waits in no conversation');
      checkWaiting(await named(ben, 10, ['c-1']), [], 'What waits for another user');
    },
  },
  {
    name: 'leaves the largest messages that wait out of a list with a limit of bytes',
    run: async ({ store, advance }) => {
      for (const [id, length] of [
        ['c-1', 1],
        ['c-2', 50_000],
        ['c-3', 2],
      ] as const) {
        const waiting = waitingMessage(`m-${id}`);
        await begin(store, id, `question-${id}`);
        await save(store, id, [{ ...waiting, parts: [...waiting.parts, { type: 'text', text: 'x'.repeat(length) }] }]);
        await advance(second);
      }
      checkWaiting(await waitingIn(store, 'anyone', 10, 30_000), ['c-3 m-c-3', 'c-1 m-c-1'], 'What fits');
      checkWaiting(await waitingIn(store, 'anyone', 10, 1), ['c-1 m-c-1'], 'The smallest');
      checkWaiting(await waitingIn(store, 'anyone', 10, 1_000_000), ['c-3 m-c-3', 'c-2 m-c-2', 'c-1 m-c-1'], 'All');
    },
  },
];
