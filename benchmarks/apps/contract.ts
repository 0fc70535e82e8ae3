import { agentId, weatherTool } from './workload.ts';

/** The shapes of the HTTP contract that the comparison apps answer with. */

export const agentSummary = {
  id: agentId,
  name: 'Assistant',
  description: 'Answers',
  status: 'idle',
  model: 'scripted',
  tools: [weatherTool.name],
  subAgents: [],
  memory: null,
  isTelemetryEnabled: true,
};

export interface GenerationRequest {
  readonly input: string;
}

export interface Usage {
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  cachedInputTokens: number;
  reasoningTokens: number;
}

export const sseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** One event as it travels. */
export function frame(event: { readonly type: string; readonly [field: string]: unknown }): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

export function success(data: unknown): { success: true; data: unknown } {
  return { success: true, data };
}
