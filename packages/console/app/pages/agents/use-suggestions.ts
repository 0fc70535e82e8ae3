import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { toolsQuery } from '../tools/tools-query.ts';
import type { AgentSummary } from './agents-query.ts';
import { type Suggestion, suggestionsOf } from './suggestions.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Sent when the playground opens. It is not in the address: a link never runs an agent. */
    readonly question?: string;
  }
}

/** The suggestions of an agent; none until its tools are known. */
export function useSuggestions(agent: AgentSummary): readonly Suggestion[] {
  const { data, error } = useQuery(toolsQuery);
  const tools = data ?? (error === null ? undefined : []);
  return useMemo(() => (tools === undefined ? [] : suggestionsOf(agent, tools)), [agent, tools]);
}
