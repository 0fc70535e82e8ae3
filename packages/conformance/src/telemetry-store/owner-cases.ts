import type { TelemetryStore } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import { ada, ben } from '../sample-owners.ts';
import { hostileText } from '../sample-values.ts';
import { bodies } from './log-cases.ts';
import {
  allOf,
  listedTraces,
  ofEntity,
  page,
  sampleEntry,
  sampleLog,
  sampleSpan,
  spanId,
  traceId,
  writeSpans,
} from './sample-telemetry.ts';
import type { TelemetryStoreCase } from './telemetry-store-harness.ts';

const strangers = ['', 'Ada', 'ad_', '%', 'unknown', hostileText];
const helper = { ...page, entityType: 'agent', entityId: 'helper' };

/** Traces, spans and logs of different users. */
export const ownerCases: readonly TelemetryStoreCase[] = [
  {
    name: 'lists only the traces of the owner, and all traces for anyone',
    run: async ({ store }) => {
      await writeOfTwo(store);
      checkEqual(await listedTraces(store, ada), allOf(1), 'What Ada sees');
      checkEqual(await listedTraces(store, ben), allOf(2), 'What Ben sees');
      checkEqual(await listedTraces(store), allOf(3, 2, 1), 'What anyone sees');
      checkEqual(
        await listedTraces(store, ben, { entityId: 'writer' }),
        allOf(),
        'The traces of Ben with the entity of another user',
      );
      for (const user of strangers) checkEqual(await listedTraces(store, { user }), allOf(), `What "${user}" sees`);
    },
  },
  {
    name: 'finds all spans in the traces of the owner, and no others',
    run: async ({ store }) => {
      await writeOfTwo(store);
      for (const [owner, isSeen] of [
        [ada, true],
        ['anyone', true],
        [ben, false],
        ...strangers.map((user) => [{ user }, false] as const),
      ] as const) {
        const who = JSON.stringify(owner);
        const spans = await store.findTrace(owner, traceId(1));
        checkEqual(
          spans.map(({ name }) => name),
          isSeen ? ['span 1', 'span 11'] : [],
          `The trace for ${who}`,
        );
        const child = await store.findSpan(owner, spanId(11));
        checkEqual(child?.name, isSeen ? 'span 11' : undefined, `The child for ${who}`);
        const entry = await store.findSpan(owner, spanId(1));
        checkEqual(entry?.name, isSeen ? 'span 1' : undefined, `The entry for ${who}`);
      }
    },
  },
  {
    name: 'assigns a trace to the users of its entries, and of no other spans',
    run: async ({ store }) => {
      await writeSpans(store, sampleSpan(1, 2, 10, { attributes: ofEntity('agent', 'helper', 'ben') }));
      checkEqual(await listedTraces(store, ben), allOf(), 'The traces of Ben before an entry has arrived');
      await writeSpans(store, sampleEntry(1, 1, 0));
      checkEqual(await listedTraces(store, ben), allOf(), 'The traces of Ben while the entries are Ada’s');
      await writeSpans(store, sampleEntry(1, 3, 20, { attributes: ofEntity('workflow', 'ship', 'ben') }));
      checkEqual(await listedTraces(store, ben), allOf(1), 'The traces of Ben with an entry of his');
      checkEqual(await listedTraces(store, ada), allOf(1), 'The traces of Ada');
      checkEqual((await store.findTrace(ben, traceId(1))).length, 3, 'The spans that Ben sees');
    },
  },
  {
    name: 'lists the runs in the traces of the owner',
    run: async ({ store }) => {
      await writeOfTwo(store);
      const names = async (owner: typeof ada | typeof ben | 'anyone', userId?: string): Promise<unknown> => {
        const { spans: runs, total } = await store.listSpans(owner, { ...helper, userId });
        return { names: runs.map(({ name }) => name), total };
      };
      checkEqual(await names(ada), { names: ['span 11'], total: 1 }, 'What Ada sees');
      checkEqual(await names(ben), { names: ['span 2'], total: 1 }, 'What Ben sees');
      checkEqual(await names(ben, 'ada'), { names: [], total: 0 }, 'The runs of Ada that Ben sees');
      checkEqual(await names('anyone'), { names: ['span 3', 'span 2', 'span 11'], total: 3 }, 'What anyone sees');
    },
  },
  {
    name: 'lists the logs of the owner in any trace',
    run: async ({ store }) => {
      await writeOfTwo(store);
      checkEqual(
        await bodies(store, {}, ada),
        { bodies: ['of Ada, in Ben’s trace', 'of Ada'], total: 2 },
        'Ada’s logs',
      );
      checkEqual(await bodies(store, {}, ben), { bodies: ['of Ben'], total: 1 }, 'Ben’s logs');
      const inHis = await bodies(store, { traceId: traceId(2) }, ben);
      checkEqual(inHis, { bodies: [], total: 0 }, 'Ben’s logs in his trace');
      checkEqual((await bodies(store)).total, 4, 'The number of all logs');
      for (const user of strangers) {
        checkEqual(await bodies(store, {}, { user }), { bodies: [], total: 0 }, `The logs of "${user}"`);
      }
    },
  },
];

async function writeOfTwo(store: TelemetryStore): Promise<void> {
  await store.write({
    spans: [
      sampleEntry(1, 1, 10, { attributes: ofEntity('agent', 'writer', 'ada') }),
      sampleSpan(1, 11, 11, { attributes: ofEntity('agent', 'helper') }),
      sampleEntry(2, 2, 20, { attributes: ofEntity('agent', 'helper', 'ben') }),
      sampleEntry(3, 3, 30, { attributes: ofEntity('agent', 'helper') }),
    ],
    logs: [
      sampleLog('of nobody', 10),
      sampleLog('of Ada', 20, { attributes: { userId: 'ada' } }),
      sampleLog('of Ben', 30, { attributes: { userId: 'ben' } }),
      sampleLog('of Ada, in Ben’s trace', 40, { traceId: traceId(2), attributes: { userId: 'ada' } }),
    ],
  });
}
