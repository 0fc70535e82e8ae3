import { useQuery } from '@tanstack/react-query';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { type RecordedCall, recordedCall } from './recorded-call.ts';

export interface FoundCall extends RecordedCall {
  readonly traceId: string;
  readonly span: components['schemas']['Span'];
  /** The agent that made it, if the trace says so. */
  readonly agentId: string | undefined;
}

/** Reads the call of a model that a span has recorded, and which agent made it. */
export function useRecordedCall(spanId: string | undefined): {
  readonly call: FoundCall | undefined;
  readonly error: Error | null;
  readonly isLoading: boolean;
} {
  const { data, error, isLoading } = useQuery({
    queryKey: ['playground', 'span', spanId],
    enabled: spanId !== undefined,
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<FoundCall> => {
      const path = { spanId: spanId ?? '' };
      const span = await readData(api.GET('/observability/spans/{spanId}', { params: { path }, signal }));
      const agentId = await findAgent(span, signal);
      return { ...recordedCall(span), span, traceId: span.traceId, agentId };
    },
  });
  return { call: data, error, isLoading };
}

/** The agent of the nearest span above. */
async function findAgent(
  { parentSpanId, traceId }: { readonly parentSpanId: string | null; readonly traceId: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const params = { path: { traceId }, query: { limit: 2_000, view: 'outline' as const } };
  const { spans } = await readData(api.GET('/observability/traces/{traceId}', { params, signal }));
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  let current = byId.get(parentSpanId ?? '');
  while (current !== undefined) {
    const agentId: unknown = current.attributes['gen_ai.agent.id'];
    if (typeof agentId === 'string') return agentId;
    current = byId.get(current.parentSpanId ?? '');
  }
  return undefined;
}
