import type { Usage } from '../agent/usage.ts';

/**
 * How the run of an agent, a model call or a tool call ended. `suspended`: it continues after a
 * reply. `refused`: a guardrail blocked it, or its request was not accepted. `aborted`: its caller
 * has left or stopped it.
 */
export type RunEnd = 'completed' | 'failed' | 'aborted' | 'suspended' | 'refused';

/**
 * `waiting`: the execution sleeps, or is left to another process. `lost`: the lease ended, so
 * another process continues it.
 */
export type ExecutionRunEnd = 'completed' | 'error' | 'cancelled' | 'suspended' | 'waiting' | 'lost';

export interface EndedAgentRun {
  readonly agentId: string;
  readonly agentName: string;
  /**
   * `text`, `stream`, `chat`, `object` or `stream-object`, unless the options of the run name
   * another one.
   */
  readonly operation: string;
  readonly end: RunEnd;
  readonly durationMs: number;
  /**
   * The model calls that this run has made, without those of sub-agents. Retries and fallbacks do
   * not count.
   */
  readonly inferenceCalls: number;
  /** The tool calls that this run has made. */
  readonly toolCalls: number;
}

export interface EndedModelCall {
  readonly agentId: string;
  /** `openai` */
  readonly provider: string;
  readonly modelId: string;
  readonly end: RunEnd;
  /** Includes retries and the fallback to other models. */
  readonly durationMs: number;
  /**
   * Of a call that did not complete: the tokens that the provider had reported. Absent if there are
   * none.
   */
  readonly usage?: Usage;
  /** The input tokens that the provider has written to its cache. Absent where `usage` is. */
  readonly cacheWriteTokens?: number;
}

export interface EndedToolCall {
  readonly toolName: string;
  readonly end: RunEnd;
  readonly durationMs: number;
}

export interface EndedExecutionRun {
  readonly workflowId: string;
  readonly end: ExecutionRunEnd;
  /** Of this run in this process: without the time in which the execution waited. */
  readonly durationMs: number;
}

/** Counts the work of a process. Its methods return at once and never throw. */
export interface RunMetrics {
  agentRunEnded(run: EndedAgentRun): void;
  modelCallEnded(call: EndedModelCall): void;
  toolCallEnded(call: EndedToolCall): void;
  /** Of a root execution, its sub-workflows included. */
  executionRunEnded(run: EndedExecutionRun): void;
  executionQuarantined(workflowId: string): void;
}
