import type { Execution, ExecutionError, ExecutionStatus, JsonValue, Suspension } from '@halyard/contracts';
import { isoTime } from '../../json/iso-time.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { reportSuspension, type SuspensionReport } from '../interpreter/waits/suspension-report.ts';

/**
 * The result of an execution, or its current state. Why it was cancelled is in its event
 * `workflow-cancelled`.
 */
export interface RunResult<Result = unknown> {
  readonly executionId: string;
  /** `running`: the wait ended before the execution was idle. */
  readonly status: ExecutionStatus;
  /** ISO 8601. */
  readonly startAt: string;
  /** ISO 8601; null unless it has ended. */
  readonly endAt: string | null;
  /** JSON; null unless completed. */
  readonly result: Result | null;
  /** Only when suspended: the earliest suspension. */
  readonly suspension?: SuspensionReport;
  /** Only when suspended: all of them, the earliest first. */
  readonly suspensions?: readonly SuspensionReport[];
  /** Only for `error`. */
  readonly error?: ExecutionError;
}

/** The fields of an execution that its result is built from. */
export interface ResultSource extends Pick<Execution, 'id' | 'path' | 'status' | 'createdAt' | 'endedAt'> {
  readonly output?: JsonValue | undefined;
  readonly error?: ExecutionError | undefined;
  readonly suspensions: readonly Suspension[];
}

export function runResult(source: ResultSource, workflow: Pick<WorkflowDefinition, 'index'> | undefined): RunResult {
  const { createdAt, endedAt, error, id, output, status, suspensions } = source;
  const reports = status === 'suspended' ? suspensions.map((one) => reportSuspension(source, workflow, one)) : [];
  const [earliest] = reports;
  return {
    executionId: id,
    status,
    startAt: isoTime(createdAt),
    endAt: endedAt === null ? null : isoTime(endedAt),
    result: output ?? null,
    ...(earliest !== undefined && { suspension: earliest, suspensions: reports }),
    ...(error !== undefined && { error }),
  };
}
