import { request } from './request.ts';

export interface AgentSummary {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly model: string;
}

export function listAgents(): Promise<readonly AgentSummary[]> {
  return request<readonly AgentSummary[]>('/agents');
}

/** `/chat?agent=concierge` opens the page with that agent. */
export function agentInUrl(): string {
  return new URLSearchParams(location.search).get('agent') ?? 'assistant';
}

export function showAgentInUrl(agentId: string): void {
  history.replaceState(null, '', `?${new URLSearchParams({ agent: agentId })}`);
}
