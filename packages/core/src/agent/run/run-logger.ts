import type { Logger } from '@halyard/contracts';
import { CorrelatedLogger, idsOf } from '../../telemetry/correlated-logger.ts';
import type { RunRecording } from '../../telemetry/record-memory.ts';
import type { RunContext } from '../agent-options.ts';

interface LoggedRun {
  readonly agentId: string;
  readonly runId: string;
  readonly recording: RunRecording | undefined;
}

/** A logger whose lines say which run they are of. */
export function runLogger(logger: Logger, run: LoggedRun, context: RunContext): Logger {
  return new CorrelatedLogger(logger, () => runIds(run, context));
}

function runIds({ agentId, recording, runId }: LoggedRun, { conversationId, userId }: RunContext): object {
  return {
    agentId,
    runId,
    ...(conversationId !== undefined && { conversationId }),
    ...(userId !== undefined && { userId }),
    ...(recording && idsOf(recording.span)),
  };
}
