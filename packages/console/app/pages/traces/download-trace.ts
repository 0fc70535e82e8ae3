import { api, readData } from '../../api/client.ts';
import { saveFile } from '../conversations/export-user.ts';
import type { Span } from './span-rows.ts';

const pageSize = 500;

/** Saves all spans of a trace with what they contain. */
export async function downloadTrace(traceId: string): Promise<void> {
  const spans: Span[] = [];
  for (let hasMore = true; hasMore;) {
    const params = { path: { traceId }, query: { offset: spans.length, limit: pageSize } };
    const page = await readData(api.GET('/observability/traces/{traceId}', { params }));
    spans.push(...page.spans);
    ({ hasMore } = page);
  }
  const json = JSON.stringify({ traceId, spans }, null, 2);
  saveFile(new Blob([json], { type: 'application/json' }), `trace-${traceId}.json`);
}
