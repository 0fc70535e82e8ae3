import type { Logger } from '@halyard/contracts';
import { CorrelatedLogger } from '../telemetry/correlated-logger.ts';
import type { RunRecording } from '../telemetry/record-memory.ts';
import type { RunContext } from './agent-options.ts';

/** A logger whose lines say which run they are of. */
export function runLogger(
  logger: Logger,
  run: { readonly agentId: string; readonly runId: string; readonly recording: RunRecording | undefined },
  context: RunContext,
): Logger {
  return new CorrelatedLogger(logger, new RunIds(run.agentId, run.runId, context, run.recording));
}

class RunIds {
  readonly agentId: string;
  readonly runId: string;
  declare readonly conversationId?: string;
  declare readonly userId?: string;
  declare readonly traceId?: string;
  declare readonly spanId?: string;

  constructor(agentId: string, runId: string, { conversationId, userId }: RunContext, recording?: RunRecording) {
    this.agentId = agentId;
    this.runId = runId;
    if (conversationId !== undefined) this.conversationId = conversationId;
    if (userId !== undefined) this.userId = userId;
    if (recording === undefined) return;
    const { spanId, traceId } = recording.span.context;
    this.traceId = traceId;
    this.spanId = spanId;
  }
}
