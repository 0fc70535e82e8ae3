import type {
  EndedAgentRun,
  EndedExecutionRun,
  EndedModelCall,
  EndedToolCall,
  RunMetrics,
} from '../../telemetry/run-metrics.ts';

/** Collects the counts. */
export class CollectedMetrics implements RunMetrics {
  readonly agentRuns: EndedAgentRun[] = [];
  readonly modelCalls: EndedModelCall[] = [];
  readonly toolCalls: EndedToolCall[] = [];
  readonly executionRuns: EndedExecutionRun[] = [];
  readonly quarantined: string[] = [];

  agentRunEnded(run: EndedAgentRun): void {
    this.agentRuns.push(run);
  }

  modelCallEnded(call: EndedModelCall): void {
    this.modelCalls.push(call);
  }

  toolCallEnded(call: EndedToolCall): void {
    this.toolCalls.push(call);
  }

  executionRunEnded(run: EndedExecutionRun): void {
    this.executionRuns.push(run);
  }

  executionQuarantined(workflowId: string): void {
    this.quarantined.push(workflowId);
  }
}
