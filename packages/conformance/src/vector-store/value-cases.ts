import { checkEqual } from '../check.ts';
import { hostileText, unstorableText } from '../sample-values.ts';
import { atCosine, nearest, nearestIds, sampleVector } from './sample-vectors.ts';
import type { VectorStoreCase } from './vector-store-harness.ts';

const texts: Readonly<Record<string, string>> = {
  'an empty text': '',
  'a text of a megabyte': '🦆é'.repeat(200_000),
  'other scripts and controls': 'Größe 漢字 🦆 \u2028 e\u0301\r\n\t\u0001',
  'values that many databases refuse': unstorableText,
  'text that looks like a query': hostileText,
};

const ids = ['AZaz09_.:-', 'x'.repeat(255), '__proto__', 'constructor', hostileText, unstorableText, ' a ', 'a'];

export const valueCases: readonly VectorStoreCase[] = [
  ...Object.entries(texts).map(([name, text]): VectorStoreCase => ({
    name: `returns the fields of a vector as they were written: ${name}`,
    run: async ({ store }) => {
      const roles = ['system', 'user', 'assistant', 'tool'] as const;
      const vectors = roles.map((role, index) =>
        sampleVector(`m-${role}`, atCosine(0.9 - index / 10), { role, text, createdAt: 1_750_000_000_000 + index }),
      );
      await store.upsert(vectors);
      const matches = (await nearest(store)).map(({ score: _score, ...match }) => match);
      checkEqual(
        matches,
        vectors.map(({ embedding: _embedding, ...rest }) => rest),
        'The matches',
      );
    },
  })),
  {
    name: 'accepts ids with any characters',
    run: async ({ store }) => {
      await store.upsert(ids.map((id) => sampleVector(id, atCosine(0.5), { conversationId: id, userId: id })));
      for (const id of ids) {
        checkEqual(await nearestIds(store, { user: id }), [id], 'What its owner finds');
        checkEqual(
          await nearestIds(store, 'anyone', { conversationId: id }),
          [id],
          'What is found in its conversation',
        );
      }
      for (const id of ids) {
        const other = sampleVector(`${id}.`, atCosine(0.5), { conversationId: id, userId: id });
        await store.upsert([other]);
        await store.deleteMessages(id, [id]);
        checkEqual(await nearestIds(store, { user: id }), [`${id}.`], 'What is left');
        await (id.length % 2 === 0 ? store.deleteUser(id) : store.deleteConversation(id));
        checkEqual(await nearestIds(store, { user: id }), [], 'What is left in the end');
      }
    },
  },
  {
    name: 'is not affected by later changes of passed objects',
    run: async ({ store }) => {
      const embedding = [...atCosine(0.9)];
      await store.upsert([sampleVector('m-1', embedding), sampleVector('m-2', atCosine(0.5))]);
      embedding.fill(0);
      checkEqual(await nearestIds(store), ['m-1', 'm-2'], 'The matches');
    },
  },
];
