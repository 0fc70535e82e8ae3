import { nameOfStep, type WorkflowStep } from '../workflows/workflow-graph.ts';
import type { StoredEvent } from './execution-events.ts';
import { type ExecutionStatus, toStepName } from './execution-model.ts';
import { isWithin, runPath } from './run-path.ts';

/** A moment at which the state of an execution changed. */
export interface Moment {
  /** The last event that belongs to it. */
  readonly seq: number;
  readonly at: number;
  readonly text: string;
  readonly state: 'running' | 'success' | 'skipped' | 'error' | 'suspended' | 'completed' | 'cancelled';
}

/** Where an execution continued otherwise than forward, drawn from one moment to another. */
export interface Fork {
  /** The place, among the moments, after which it happened. */
  readonly from: number;
  /** The place of the moment at which the repeated steps had begun. A retry: the same place. */
  readonly to: number;
  readonly text: string;
}

/** The moments of an execution, in their order, with the names of its steps. */
export function listMoments(events: readonly StoredEvent[], steps: readonly WorkflowStep[] = []): readonly Moment[] {
  return events.flatMap((event) => {
    const told = tell(event, nameOf(event.from, steps));
    return told === undefined ? [] : [{ seq: event.seq, at: Date.parse(event.timestamp), ...told }];
  });
}

function nameOf(instance: string, steps: readonly WorkflowStep[]): string {
  return `“${nameOfStep(steps, toStepName(instance))}”`;
}

function tell(event: StoredEvent, step: string): Pick<Moment, 'state' | 'text'> | undefined {
  switch (event.type) {
    case 'workflow-start':
      return { state: 'running', text: 'The execution started' };
    case 'step-start':
      return { state: 'running', text: `${step} started` };
    case 'step-complete': {
      const { status } = event as StoredEvent & { readonly status: 'success' | 'skipped' };
      return { state: status, text: status === 'skipped' ? `${step} was skipped` : `${step} succeeded` };
    }
    case 'step-error':
      return { state: 'error', text: `${step} failed` };
    case 'step-retry':
      return { state: 'error', text: `An attempt of ${step} failed` };
    case 'step-compensated':
      return { state: 'success', text: `${step} was undone` };
    case 'step-compensation-error':
      return { state: 'error', text: `${step} could not be undone` };
    case 'workflow-suspended':
      return { state: 'suspended', text: `Waits: ${suspensionOf(event).reason}` };
    case 'workflow-complete':
      return { state: 'completed', text: 'The execution completed' };
    case 'workflow-error':
      return { state: 'error', text: 'The execution failed' };
    case 'workflow-cancelled':
      return { state: 'cancelled', text: 'The execution was cancelled' };
    default:
      return undefined;
  }
}

function suspensionOf(event: StoredEvent): { readonly stepId: string; readonly reason: string } {
  return (event as StoredEvent & { suspension: { stepId: string; reason: string } }).suspension;
}

/** An execution as it was after its event `seq`, for `stepRuns` with the events until then. */
export function executionAt(
  events: readonly StoredEvent[],
  seq: number,
  { rewinds }: Pick<ExecutionStatus, 'rewinds'>,
): { readonly events: readonly StoredEvent[]; readonly status: ExecutionStatus; readonly at: number } {
  const past = events.filter((event) => event.seq <= seq);
  const last = past.at(-1);
  const updatedAt = last?.timestamp ?? '';
  const suspensions = new Map<string, { stepId: string }>();
  for (const event of past) {
    suspensions.delete(event.from);
    if (event.type !== 'workflow-suspended') continue;
    const { stepId } = suspensionOf(event);
    suspensions.set(stepId, { stepId });
  }
  const ending = last === undefined ? undefined : endings[last.type];
  return {
    events: past,
    status: {
      status: ending ?? 'running',
      endAt: ending === undefined ? null : updatedAt,
      updatedAt,
      suspensions: [...suspensions.values()],
      // A rewind is after the event that it names.
      rewinds: rewinds.filter((rewind) => rewind.seq < seq),
    },
    at: Date.parse(updatedAt),
  };
}

const endings: Readonly<Record<string, ExecutionStatus['status']>> = {
  'workflow-complete': 'completed',
  'workflow-error': 'error',
  'workflow-cancelled': 'cancelled',
};

/** The rewinds of an execution and its retries by hand. */
export function listForks(
  events: readonly StoredEvent[],
  moments: readonly Moment[],
  rewinds: ExecutionStatus['rewinds'],
  steps: readonly WorkflowStep[] = [],
): readonly Fork[] {
  return rewinds.map(({ paths, seq }) => {
    const from = moments.findLastIndex((moment) => moment.seq <= seq);
    const [first] = paths;
    if (first === undefined) return { from, to: from, text: 'Retried by hand' };
    const start = events.findLast(
      (event) => event.seq <= seq && event.type === 'step-start' && isWithin(runPath(event.from, steps), first),
    );
    const to = moments.findIndex((moment) => moment.seq === start?.seq);
    return { from, to: to === -1 ? from : to, text: `Rewound to ${nameOf(first.split('/').at(-1) ?? first, steps)}` };
  });
}
