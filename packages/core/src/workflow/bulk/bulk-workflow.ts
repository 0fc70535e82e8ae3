import { internalWorkflow } from '../definition/internal-workflow.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { andDoUntil } from '../steps/and-do-until.ts';
import { andRun, type CodeContext } from '../steps/and-run.ts';
import { andThen } from '../steps/and-then.ts';
import { applyToExecution, type BulkRuntime } from './apply-to-execution.ts';
import { type BulkCursor, type BulkTarget, readPage } from './bulk-page.ts';
import { addOutcomes, type BulkOutcome, type BulkReport, changedFields, emptyReport } from './bulk-report.ts';
import type { BulkInput } from './bulk-request.ts';
import { bulkWorkflowId } from './bulk-workflow-id.ts';

/** How many executions are changed at the same time. */
const concurrency = 10;
const retries = { attempts: 12, delayMs: 500 };

/** Between two pages. */
interface Progress {
  /** Null before the first page. */
  readonly cursor: BulkCursor | null;
  readonly counts: Pick<BulkReport, 'succeeded' | 'skipped' | 'failed'>;
  readonly hasEnded: boolean;
}

/**
 * The workflow that carries bulk operations out. Each round of its loop reads a page, records it,
 * and changes its executions. Its state is the report.
 */
export function bulkWorkflow(runtime: BulkRuntime): WorkflowDefinition {
  const { failed, skipped, succeeded } = emptyReport;
  const first: Progress = { cursor: null, counts: { succeeded, skipped, failed }, hasEnded: false };
  const steps = [
    andThen({ id: 'begin', execute: () => first }),
    andDoUntil({
      id: 'pages',
      step: andRun<Progress, Progress>({ id: 'page', run: (context) => runPage(runtime, context) }),
      condition: ({ data }) => data.hasEnded,
      maxIterations: Number.MAX_SAFE_INTEGER,
    }),
  ];
  return internalWorkflow(bulkWorkflowId, steps, {
    access: 'users',
    name: 'Bulk operations',
    purpose: 'Cancels, resumes, retries or replays all executions that match a filter',
    retries,
  });
}

async function runPage(runtime: BulkRuntime, context: CodeContext<Progress>): Promise<Progress> {
  const { data, state, step } = context;
  const bulk = toBulkInput(context);
  const page = await step('read', () => readPage(runtime, bulk, data.cursor));
  if (page === null) return { ...data, hasEnded: true };
  const counts = await step('apply', async ({ setWorkflowState, signal, workflowState }) => {
    const outcomes = await applyToPage(page.targets, signal, (target, stopped) =>
      applyToExecution(runtime, { ...bulk, bulkId: state.executionId, signal: stopped }, target),
    );
    const written = reportIn(workflowState);
    const report = addOutcomes(reportBefore(data.counts, written), outcomes);
    setWorkflowState(changedFields(written, report));
    const { failed, skipped, succeeded } = report;
    return { succeeded, skipped, failed };
  });
  return { cursor: page.cursor, counts, hasEnded: false };
}

/** @throws when the storage does not respond, or the step must stop. */
async function applyToPage(
  targets: readonly BulkTarget[],
  signal: AbortSignal,
  apply: (target: BulkTarget, stopped: AbortSignal) => Promise<BulkOutcome>,
): Promise<readonly BulkOutcome[]> {
  const outcomes: BulkOutcome[] = [];
  const end = new AbortController();
  const stopped = AbortSignal.any([signal, end.signal]);
  // Each worker takes the next target from the same iterator.
  const rest = targets.values();
  const work = async (): Promise<void> => {
    for (const target of rest) {
      stopped.throwIfAborted();
      outcomes.push(await apply(target, stopped));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work)).finally(() => end.abort());
  return outcomes;
}

/**
 * The report before a page: an attempt that was not recorded may have written the outcomes of this
 * page, too.
 */
function reportBefore(counts: Progress['counts'], { failures, skips }: BulkReport): BulkReport {
  return { ...counts, skips: skips.slice(0, counts.skipped), failures: failures.slice(0, counts.failed) };
}

/** The report in the state of an execution of the workflow. Only the workflow sets it. */
export function reportIn(workflowState: object): BulkReport {
  return { ...emptyReport, ...(workflowState as Partial<BulkReport>) };
}

/** The input of an execution of the workflow, which only `BulkOperations` starts. */
export function toBulkInput({ input }: { readonly input: unknown }): BulkInput {
  return input as BulkInput;
}
