import { agentId, type Count, weatherTool, workflowId, workflowInput, workflowSteps } from './workload.ts';

/** Answers in the format of Halyard's HTTP API, for the other apps. */

export const agentSummary = {
  id: agentId,
  name: 'Assistant',
  description: 'Answers',
  status: 'idle',
  model: 'scripted',
  tools: [weatherTool.name],
  subAgents: [],
  memory: {
    config: {
      contextLimit: 10,
      workingMemory: null,
      semanticRecall: null,
      titles: false,
      persistence: { mode: 'step', debounceMs: 200, flushOnToolResult: true },
    },
  },
  isTelemetryEnabled: true,
};

export interface GenerationRequest {
  readonly input: string;
  readonly options?: { readonly userId: string; readonly conversationId: string };
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

/** One server-sent event. */
export function frame(event: { readonly type: string; readonly [field: string]: unknown }): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

export function success(data: unknown): { success: true; data: unknown } {
  return { success: true, data };
}

export interface RunRequest {
  readonly input: Count;
}

export function runResult(executionId: string, at: string, result: Count): object {
  return { executionId, status: 'completed', startAt: at, endAt: at, result };
}

/** One server-sent event of a workflow. */
export function numberedFrame(
  seq: number,
  event: { readonly type: string; readonly [field: string]: unknown },
): string {
  return `id: ${seq}\ndata: ${JSON.stringify({ ...event, seq })}\n\n`;
}

/** All events of a run; `outputs` are the outputs of its steps. */
export function workflowFrames(executionId: string, timestamp: string, outputs: readonly Count[]): string[] {
  let seq = 0;
  const next = (type: string, from: string, fields: object): string => {
    seq += 1;
    return numberedFrame(seq, { type, executionId, from, timestamp, ...fields });
  };
  const frames = [next('workflow-start', workflowId, { input: workflowInput })];
  for (const [stepIndex, step] of workflowSteps.entries()) {
    const place = { stepType: 'andThen', stepIndex };
    frames.push(
      next('step-start', step, { ...place, input: outputs[stepIndex - 1] ?? workflowInput }),
      next('step-complete', step, { ...place, status: 'success', output: outputs[stepIndex] }),
    );
  }
  const result = outputs.at(-1);
  frames.push(
    next('workflow-complete', workflowId, { output: result }),
    next('workflow-result', workflowId, { status: 'completed', result, startAt: timestamp, endAt: timestamp }),
  );
  return frames;
}
