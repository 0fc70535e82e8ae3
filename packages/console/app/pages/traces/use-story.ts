import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, readData } from '../../api/client.ts';
import { toolsQuery } from '../tools/tools-query.ts';
import { findStep, pathOfStep } from '../workflows/workflow-graph.ts';
import { workflowQuery } from '../workflows/workflows-query.ts';
import type { Span, SpanRow } from './span-rows.ts';
import { type StoryLine, toConversation, toStory } from './story.ts';

/** The contents of a longer trace are read span by span, when a line is opened. */
const longestRead = 1_000;
const pageSize = 200;

/**
 * The lines of a trace and its conversation, with what the spans contain and the names of the
 * catalogue. Both are read after the spans, which show the lines already.
 */
export function useStory(
  traceId: string,
  rows: readonly SpanRow[],
  isComplete: boolean,
): { readonly lines: readonly StoryLine[]; readonly conversation: ReturnType<typeof toConversation> } {
  const { data: contents } = useQuery({
    queryKey: ['traces', 'one', traceId, 'steps'],
    queryFn: ({ signal }) => readSteps(traceId, signal),
    enabled: isComplete && rows.length <= longestRead,
  });
  const { data: tools } = useQuery(toolsQuery);
  const workflowIds = [
    ...new Set(
      rows.flatMap(({ span: { attributes } }) =>
        attributes['entity.type'] === 'workflow' ? [String(attributes['entity.id'])] : [],
      ),
    ),
  ];
  const workflows = useQueries({
    queries: workflowIds.map((id) => workflowQuery(id)),
    combine: (results) => results.flatMap(({ data }) => (data === undefined ? [] : [data])),
  });
  return useMemo(() => {
    const filled = rows.map((row) => {
      const content = contents?.get(row.span.spanId);
      if (content === undefined) return row;
      return { ...row, span: { ...row.span, attributes: { ...content, ...row.span.attributes } } };
    });
    const lines = toStory(filled, {
      step: (workflowId, stepId) => {
        const steps = workflows.find(({ id }) => id === workflowId)?.steps ?? [];
        return findStep(steps, pathOfStep(steps, stepId) ?? '')?.name;
      },
      waitsFor: (toolName) => {
        const tool = tools?.find(({ name }) => name === toolName);
        if (tool?.clientSide === true) return 'client';
        return tool?.needsApproval === true ? 'person' : undefined;
      },
    });
    return { lines, conversation: toConversation(filled) };
  }, [rows, contents, tools, workflows]);
}

async function readSteps(traceId: string, signal: AbortSignal): Promise<ReadonlyMap<string, Span['attributes']>> {
  const contents = new Map<string, Span['attributes']>();
  for (let hasMore = true; hasMore && contents.size < longestRead;) {
    const query = { offset: contents.size, limit: pageSize, view: 'steps' as const };
    const params = { path: { traceId }, query };
    const page = await readData(api.GET('/observability/traces/{traceId}', { params, signal }));
    for (const { attributes, spanId } of page.spans) contents.set(spanId, attributes);
    ({ hasMore } = page);
  }
  return contents;
}
