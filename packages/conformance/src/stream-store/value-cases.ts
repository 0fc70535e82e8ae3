import { checkEqual, checkFound } from '../check.ts';
import { hostileText, sampleValues, unstorableText } from '../sample-values.ts';
import { begin, leaseMs, whole } from './sample-streams.ts';
import type { StreamStoreCase } from './stream-store-harness.ts';

export const valueCases: readonly StreamStoreCase[] = [
  {
    name: 'returns chunks as they were written',
    run: async ({ store }) => {
      const texts = [
        '',
        ' a\r\n',
        'null',
        '{"a":[1,2]}',
        '{a,"b"}',
        hostileText,
        unstorableText,
        '\0',
        '\uDD86\uD83E',
        ...Object.values(sampleValues).map((value) => JSON.stringify(value)),
      ];
      await begin(store, 's');
      for (const [after, text] of texts.entries()) {
        checkEqual(await store.append('s', { after, chunks: [text] }, leaseMs), 'appended', 'The answer');
      }
      await store.end('s', { after: texts.length, chunks: texts });
      checkEqual(await whole(store, 's'), { chunks: [...texts, ...texts], status: 'ended' }, 'What is there');
    },
  },
  ...[
    ['that look like a query', hostileText],
    ['that many databases refuse', unstorableText],
    ['that are names of Object.prototype', '__proto__'],
  ].map(([which, text = '']): StreamStoreCase => ({
    name: `accepts any ids, ${which}`,
    run: async ({ store }) => {
      const names = { agentId: text, conversationId: text };
      const owner = { user: text };
      await begin(store, 'beside');
      checkEqual(await begin(store, text, { ...names, userId: text }), { kind: 'begun' }, 'The answer');
      const live = checkFound(await store.findLive(owner, names), 'What is live');
      checkEqual(live, { id: text, ...names, userId: text, startedAt: live.startedAt }, 'What is live');
      checkEqual(await begin(store, 'other', { ...names, userId: text }), { kind: 'busy', live }, 'The second answer');
      checkEqual(await store.requestStop(owner, names), true, 'The answer to a wish that it stop');
      checkEqual(await store.append(text, { after: 0, chunks: [text] }, leaseMs), 'stop-requested', 'Chunks');
      checkEqual(await whole(store, text), { chunks: [text], status: 'live' }, 'What is there');
      checkEqual(await store.deleteUser(text), 1, 'The number forgotten');
      checkEqual((await whole(store, 'beside'))?.status, 'live', 'The status of the other stream');
    },
  })),
];
