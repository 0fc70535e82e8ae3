import type { LogFilter, Owner, TelemetryStore } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import { hostileText } from '../sample-values.ts';
import { page, sampleLog, sampleTime, spanId, traceId, writeLogs } from './sample-telemetry.ts';
import type { TelemetryStoreCase } from './telemetry-store-harness.ts';

/** Lists of logs. */
export const logCases: readonly TelemetryStoreCase[] = [
  {
    name: 'lists logs newest first; of several with the same time, the last to arrive first',
    run: async ({ store }) => {
      await writeLogs(store, sampleLog('b1', 20), sampleLog('a', 10), sampleLog('b2', 20), sampleLog('d', 40));
      await writeLogs(store, sampleLog('b3', 20), sampleLog('c', 30), sampleLog('b4', 20));
      const all = ['d', 'c', 'b4', 'b3', 'b2', 'b1', 'a'];
      checkEqual(await bodies(store), { bodies: all, total: 7 }, 'The logs');
      for (const [limit, offset] of [
        [3, 0],
        [3, 3],
        [3, 6],
        [3, 7],
      ] as const) {
        const expected = { bodies: all.slice(offset, offset + limit), total: 7 };
        checkEqual(await bodies(store, { limit, offset }), expected, `The page from ${offset}`);
      }
    },
  },
  {
    name: 'stores equal log lines separately',
    run: async ({ store }) => {
      await writeLogs(store, sampleLog('same', 0), sampleLog('same', 0));
      await writeLogs(store, sampleLog('same', 0));
      checkEqual(await bodies(store), { bodies: ['same', 'same', 'same'], total: 3 }, 'The logs');
    },
  },
  {
    name: 'filters logs by severity: by its text in upper or lower case, its number, and a minimum',
    run: async ({ store }) => {
      await writeLogs(
        store,
        sampleLog('debug', 10, { severityNumber: 5, severityText: 'DEBUG' }),
        sampleLog('info', 20),
        sampleLog('notice', 30, { severityNumber: 10 }),
        sampleLog('error', 40, { severityNumber: 17, severityText: 'ERROR' }),
        sampleLog('shout', 50, { severityNumber: 18, severityText: 'error' }),
      );
      await checkFilters(store, [
        [{ severityText: 'INFO' }, ['notice', 'info']],
        [{ severityText: 'info' }, ['notice', 'info']],
        [{ severityText: 'Error' }, ['shout', 'error']],
        [{ severityText: 'ERR' }, []],
        [{ severityText: '%' }, []],
        [{ severityNumber: 9 }, ['info']],
        [{ severityNumber: 11 }, []],
        [{ minSeverity: 10 }, ['shout', 'error', 'notice']],
        [{ minSeverity: 19 }, []],
        [{ minSeverity: 10, severityText: 'info' }, ['notice']],
      ]);
    },
  },
  {
    name: 'combines the log filters for ids and times',
    run: async ({ store }) => {
      const inTrace = { traceId: traceId(1), spanId: spanId(1) };
      await writeLogs(
        store,
        sampleLog('none', 10),
        sampleLog('of trace', 20, { traceId: traceId(1) }),
        sampleLog('of span', 30, { ...inTrace, attributes: { agentId: 'helper', conversationId: 'c-1' } }),
        sampleLog('of workflow', 40, {
          attributes: { workflowId: 'ship', executionId: 'e-1', nested: { agentId: 'helper' } },
        }),
        sampleLog('of both', 50, { attributes: { workflowId: 'ship', executionId: 'e-2', agentId: 'helper' } }),
      );
      await checkFilters(store, [
        [{ traceId: traceId(1) }, ['of span', 'of trace']],
        [{ traceId: traceId(2) }, []],
        [{ spanId: spanId(1) }, ['of span']],
        [{ agentId: 'helper' }, ['of both', 'of span']],
        [{ agentId: 'help%' }, []],
        [{ agentId: '' }, []],
        [{ agentId: hostileText }, []],
        [{ workflowId: 'ship' }, ['of both', 'of workflow']],
        [{ executionId: 'e-1' }, ['of workflow']],
        [{ conversationId: 'c-1' }, ['of span']],
        [{ workflowId: 'ship', agentId: 'helper' }, ['of both']],
        [{ conversationId: 'c-1', executionId: 'e-1' }, []],
        [{ from: sampleTime + 40 }, ['of both', 'of workflow']],
        [{ to: sampleTime + 20 }, ['of trace', 'none']],
        [{ from: sampleTime + 20, to: sampleTime + 30 }, ['of span', 'of trace']],
        [{ from: sampleTime + 31, to: sampleTime + 39 }, []],
        [{ from: sampleTime + 30, traceId: traceId(1) }, ['of span']],
        [
          { traceId: undefined, from: undefined, agentId: undefined, minSeverity: undefined },
          ['of both', 'of workflow', 'of span', 'of trace', 'none'],
        ],
      ]);
      const one = await bodies(store, { limit: 1, offset: 1, agentId: 'helper' });
      checkEqual(one, { bodies: ['of span'], total: 2 }, 'A page of the matching logs');
    },
  },
  {
    name: 'finds logs by a text in their body and attributes, with the other filters',
    run: async ({ store }) => {
      await writeLogs(
        store,
        sampleLog('The order fails', 10, { attributes: { agentId: 'helper' } }),
        sampleLog('retried', 20, { attributes: { nested: { reason: 'ORDER "7"\n' } } }),
        sampleLog('50 % of \u00c4pfel\0', 30),
      );
      await checkFilters(store, [
        [{ text: 'order' }, ['retried', 'The order fails']],
        [{ text: 'Order Fails' }, ['The order fails']],
        [{ text: 'order "7"\n' }, ['retried']],
        [{ text: 'order', agentId: 'helper' }, ['The order fails']],
        [{ text: 'order', from: sampleTime + 20 }, ['retried']],
        [{ text: '\u00c4pfel\0' }, ['50 % of \u00c4pfel\0']],
        [{ text: '\u00e4pfel' }, []],
        [{ text: '% of' }, ['50 % of \u00c4pfel\0']],
        [{ text: '%' }, ['50 % of \u00c4pfel\0']],
        [{ text: 'o_der' }, []],
        [{ text: hostileText }, []],
      ]);
      const one = await bodies(store, { limit: 1, offset: 1, text: 'order' });
      checkEqual(one, { bodies: ['The order fails'], total: 2 }, 'A page of the logs with a text');
    },
  },
  {
    name: 'leaves out the logs of a client, with the other filters',
    run: async ({ store }) => {
      const of = (client: string) => ({ attributes: { client, agentId: 'helper' } });
      await writeLogs(
        store,
        sampleLog('nested', 5, { attributes: { body: { client: 'console' }, attributes: { client: hostileText } } }),
        sampleLog('of nobody', 10),
        sampleLog('of console', 20, of('console')),
        sampleLog('of console 2', 30, of('console 2')),
        sampleLog('"client":"console"', 40, { attributes: { url: '/?"client":"console"' } }),
        sampleLog('of hostile', 50, of(hostileText)),
      );
      await checkFilters(store, [
        [{ withoutClient: 'console' }, ['of hostile', '"client":"console"', 'of console 2', 'of nobody', 'nested']],
        [{ withoutClient: hostileText }, ['"client":"console"', 'of console 2', 'of console', 'of nobody', 'nested']],
        [{ withoutClient: 'console', agentId: 'helper' }, ['of hostile', 'of console 2']],
        [{ withoutClient: 'console', text: 'of console' }, ['of console 2']],
      ]);
      const one = await bodies(store, { limit: 1, offset: 2, withoutClient: 'console' });
      checkEqual(one, { bodies: ['of console 2'], total: 5 }, 'A page of the logs without those of a client');
    },
  },
];

async function checkFilters(
  store: TelemetryStore,
  filters: readonly (readonly [Partial<LogFilter>, readonly string[]])[],
): Promise<void> {
  for (const [filter, expected] of filters) {
    const what = `Those with ${JSON.stringify(filter)}`;
    checkEqual(await bodies(store, filter), { bodies: expected, total: expected.length }, what);
  }
}

/** The bodies and the total of the logs. */
export async function bodies(
  store: TelemetryStore,
  filter: Partial<LogFilter> = {},
  owner: Owner = 'anyone',
): Promise<{ readonly bodies: readonly string[]; readonly total: number }> {
  const { logs, total } = await store.listLogs(owner, { ...page, ...filter });
  return { bodies: logs.map(({ body }) => body), total };
}
