import type { ConversationStore, Message, MessagePart, PartsSave } from '@halyard/contracts';
import { check, checkEqual } from '../check.ts';
import { mutate } from '../mutate.ts';
import { ada, ben } from '../sample-owners.ts';
import { unstorableText } from '../sample-values.ts';
import type { ConversationStoreCase } from './conversation-store-harness.ts';
import { begin, messagesOf, sampleConversation, sampleMessage, save, snapshotOf } from './sample-conversations.ts';
import { samplePartsByType } from './sample-parts.ts';

const second = 1_000;
const largeSize = 20_000;
const one = textPart('one');
const two = textPart('two');
const three = textPart('three');
const four = textPart('four');

/** Optional: a store without `saveParts` passes them. */
export const partCases: readonly ConversationStoreCase[] = forStoresWithParts([
  {
    name: 'writes some parts of a message, and returns it with all of them',
    run: async (store, advance) => {
      const answer = sampleMessage('m-1', { role: 'assistant', parts: [one], metadata: { first: true } });
      await begin(store, 'c-1', 'm-0');
      await save(store, 'c-1', [answer, sampleMessage('m-2')]);
      const before = await snapshotOf(store, 'c-1');
      await advance(second);
      const steps: readonly (readonly [Partial<PartsSave>, Partial<Message>])[] = [
        [whole([one, two], { a: 1 }), { parts: [one, two], metadata: { a: 1 } }],
        [{ length: 4, parts: [placed(2, three), placed(3, four)] }, { parts: [one, two, three, four] }],
        [
          { length: 4, parts: [placed(1, four)], metadata: null },
          { parts: [one, four, three, four], metadata: null },
        ],
        [
          { length: 4, parts: [], metadata: { b: 2 } },
          { parts: [one, four, three, four], metadata: { b: 2 } },
        ],
        [{ length: 2, parts: [placed(0, two)] }, { parts: [two, four] }],
        [{ length: 3, parts: [placed(2, one)] }, { parts: [two, four, one] }],
        [{ length: 0, parts: [] }, { parts: [] }],
      ];
      for (const [change, expected] of steps) {
        checkEqual(await saveParts(store, change), true, 'Whether it was written');
        const [first, , last] = before.messages;
        const createdAt = before.messages[1]?.createdAt ?? 0;
        const message = { id: 'm-1', role: 'assistant', ...expected, createdAt };
        checkEqual(await messagesOf(store, 'c-1'), [first, message, last], 'The messages');
        checkEqual(await store.findMessages('anyone', 'c-1', ['m-1']), [message], 'What is found');
      }
      const { updatedAt = 0 } = (await store.find('anyone', 'c-1')) ?? {};
      check(updatedAt - (before.conversation?.updatedAt ?? 0) >= second, 'The conversation should have changed');
    },
  },
  {
    name: 'refuses parts when somebody else has written the message since, or it does not exist',
    run: async (store) => {
      const answer = sampleMessage('m-1', { parts: [one, two] });
      const added = { length: 3, parts: [placed(2, three)] };
      const refuses = async (change: Partial<PartsSave>, situation: string): Promise<void> => {
        const before = await snapshotOf(store, 'c-1');
        checkEqual(await saveParts(store, change), false, `Whether it was written: ${situation}`);
        checkEqual(await snapshotOf(store, 'c-1'), before, `The conversation: ${situation}`);
      };
      await refuses(whole([one]), 'no conversation');
      await begin(store, 'c-1', 'm-0');
      await refuses(whole([one]), 'no message');
      await save(store, 'c-1', [answer]);
      await refuses(added, 'this writer has not written it');
      await saveParts(store, whole([one, two]));
      await save(store, 'c-1', [answer]);
      await refuses(added, 'it was written whole');
      await saveParts(store, whole([one, two]));
      await saveParts(store, { ...whole([one, two]), writer: 'w-2' });
      await refuses(added, 'another writer has written it');
      checkEqual(await saveParts(store, { ...added, writer: 'w-2' }), true, 'Whether the other writer goes on');
      await saveParts(store, whole([one, two]));
      await store.deleteMessages('anyone', 'c-1', ['m-1']);
      await refuses(added, 'it was deleted');
      await save(store, 'c-1', [answer]);
      await refuses(added, 'it was deleted and written again');
      checkEqual(await saveParts(store, whole([three])), true, 'Whether all parts are written');
    },
  },
  {
    name: 'replaces parts when the whole message is written, and deletes them with it',
    run: async (store) => {
      await begin(store, 'c-1', 'm-0', 'm-1');
      await saveParts(store, whole([one, two, three]));
      await save(store, 'c-1', [sampleMessage('m-1', { parts: [four] })]);
      checkEqual(await partsOf(store), [four], 'The parts after a save');
      const deletions = [
        () => store.deleteMessages('anyone', 'c-1', ['m-1']),
        () => save(store, 'c-1', [], { dropAfter: 'm-0' }),
        async () => {
          await store.delete('anyone', 'c-1');
          await begin(store, 'c-1');
        },
      ];
      for (const deletion of deletions) {
        await saveParts(store, whole([one, two, three]));
        await deletion();
        checkEqual(await partsOf(store), undefined, 'The parts of a deleted message');
        await save(store, 'c-1', [sampleMessage('m-0'), sampleMessage('m-1', { parts: [two] })]);
        checkEqual(await partsOf(store), [two], 'The parts of the next message with its id');
      }
    },
  },
  {
    name: 'copies and lists a message with the parts that were written',
    run: async (store) => {
      await begin(store, 'c-1', 'm-0');
      await save(store, 'c-1', [sampleMessage('m-1', { role: 'assistant', parts: [one] })]);
      const call = { type: 'tool-pay', toolCallId: 'c', input: {}, approval: { id: 'a', signature: 's' } } as const;
      const parts: MessagePart[] = [textPart('x'.repeat(largeSize)), { ...call, state: 'approval-requested' }];
      await saveParts(store, whole(parts));
      await store.clone('anyone', { id: 'c-1', newId: 'c-2', includeMessages: true });
      checkEqual((await messagesOf(store, 'c-2')).at(-1)?.parts, parts, 'The parts of the copy');
      const limits = { id: 'c-1', newId: 'c-3', includeMessages: true, maxBytes: largeSize / 2 };
      checkEqual(await store.clone('anyone', limits), 'too-large', 'A copy with less bytes');
      await store.delete('anyone', 'c-2');

      const waiting = await store.listWaiting?.('anyone', 10);
      if (waiting !== undefined) checkEqual(waiting[0]?.message.parts, parts, 'The parts of what waits');
      const page = await store.messages('anyone', 'c-1', { limit: 10, maxBytes: largeSize / 2 });
      checkEqual(page?.messages.length, 1, 'The number of messages with less bytes');
      const found = await store.findMessages('anyone', 'c-1', ['m-0', 'm-1'], largeSize / 2);
      checkEqual(found.length, 1, 'The number of found messages with less bytes');
    },
  },
  {
    name: 'writes no parts to a conversation of another owner',
    run: async (store) => {
      await begin(store, 'c-1', 'm-1');
      const before = await snapshotOf(store, 'c-1');
      checkEqual(await saveParts(store, whole([one, two]), ben), false, 'Whether Ben has written');
      checkEqual(await snapshotOf(store, 'c-1'), before, 'The conversation');
      checkEqual(await saveParts(store, whole([one, two]), ada), true, 'Whether Ada has written');
    },
  },
  {
    name: 'returns parts of all kinds, with any text, as they were when they were written',
    run: async (store) => {
      const parts = [...Object.values(samplePartsByType).flat(), textPart(unstorableText)];
      const id = unstorableText;
      await store.create(sampleConversation(id));
      await save(store, id, [sampleMessage(id)]);
      const key = { conversationId: id, messageId: id, writer: id };
      checkEqual(await saveParts(store, { ...key, ...whole([]) }), true, 'Whether no parts were written');
      for (const [place, part] of parts.entries()) {
        const change = { ...key, length: place + 1, parts: [placed(place, structuredClone(part))] };
        const written = saveParts(store, change);
        mutate(change.parts[0]?.part);
        checkEqual(await written, true, 'Whether it was written');
      }
      checkEqual((await messagesOf(store, id))[0]?.parts, parts, 'The parts');
    },
  },
  {
    name: 'never mixes the parts of two writers',
    run: async (store) => {
      await begin(store, 'c-1', 'm-1');
      for (let round = 0; round < 20; round += 1) {
        const [ours, theirs] = [textPart(`ours ${round}`), textPart(`theirs ${round}`)];
        await Promise.all([
          (async () => {
            await saveParts(store, { writer: `w-${round}`, ...whole([ours, ours]) });
            await saveParts(store, { writer: `w-${round}`, length: 3, parts: [placed(2, ours)] });
          })(),
          saveParts(store, { writer: `other-${round}`, ...whole([theirs, theirs]) }),
        ]);
        const found = JSON.stringify(await partsOf(store));
        const possible = [
          [ours, ours, ours],
          [theirs, theirs],
        ].map((parts) => JSON.stringify(parts));
        check(possible.includes(found), `The parts should be those of one writer, but are ${found}`);
      }
    },
  },
]);

interface PartCase {
  readonly name: string;
  readonly run: (store: ConversationStore, advance: (ms: number) => void | Promise<void>) => Promise<void>;
}

function forStoresWithParts(cases: readonly PartCase[]): readonly ConversationStoreCase[] {
  return cases.map(({ name, run }) => ({
    name,
    run: async ({ advance, store }) => {
      if (store.saveParts !== undefined) await run(store, advance);
    },
  }));
}

/** By default, of the writer `w-1` to the message `m-1` of `c-1`. */
async function saveParts(
  store: ConversationStore,
  change: Partial<PartsSave>,
  owner: Parameters<ConversationStore['save']>[0] = 'anyone',
): Promise<boolean | undefined> {
  const key = { conversationId: 'c-1', messageId: 'm-1', writer: 'w-1' };
  return store.saveParts?.(owner, { ...key, length: 0, parts: [], ...change });
}

/** A write of all parts. */
function whole(parts: readonly MessagePart[], metadata?: unknown): Pick<PartsSave, 'length' | 'metadata' | 'parts'> {
  const all = parts.map((part, place) => placed(place, part));
  return { length: parts.length, parts: all, ...(metadata !== undefined && { metadata }) };
}

function placed(place: number, part: MessagePart): PartsSave['parts'][number] {
  return { place, part };
}

function textPart(text: string): MessagePart {
  return { type: 'text', text };
}

async function partsOf(store: ConversationStore): Promise<readonly MessagePart[] | undefined> {
  const [message] = await store.findMessages('anyone', 'c-1', ['m-1']);
  return message?.parts;
}
