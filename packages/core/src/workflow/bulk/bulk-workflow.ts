import type { Owner } from '@halyard/contracts';
import { indexSteps } from '../definition/step-index.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { andRun, type CodeContext } from '../steps/and-run.ts';
import { applyToExecution, type BulkRuntime } from './apply-to-execution.ts';
import { addReports, type BulkOutcome, type BulkReport, changedFields, reportOf } from './bulk-report.ts';
import type { AcceptedBulkRequest } from './bulk-request.ts';
import { bulkWorkflowId } from './bulk-workflow-id.ts';
import { type BulkCursor, type BulkTarget, readPage } from './read-page.ts';

/** After this many pages, a new execution with an empty journal continues. */
const pagesPerExecution = 20;
/** How many executions are changed at the same time. */
const concurrency = 10;
const retries = { attempts: 12, delayMs: 500 };

/** The input of an execution of the workflow. */
export interface BulkInput extends AcceptedBulkRequest {
  /** The id of the first execution. */
  readonly bulkId: string;
  readonly owner: Owner;
  readonly resumedBy?: string | undefined;
  readonly onlyToQuestions?: boolean;
  /** ISO 8601. */
  readonly startAt: string;
  /** How many matched at the start. */
  readonly matched: number;
  /** How many executions came before. */
  readonly link: number;
  readonly cursor: BulkCursor | null;
  readonly report: BulkReport;
}

/**
 * The workflow that carries bulk operations out: page by page, each page recorded before it is carried out. Its result, and its state while it runs, are the report.
 */
export function bulkWorkflow(runtime: BulkRuntime): WorkflowDefinition {
  const steps = [andRun({ id: 'pages', run: (context) => runPages(runtime, context) })];
  return {
    id: bulkWorkflowId,
    access: 'users',
    name: 'Bulk operations',
    purpose: 'Cancels, resumes, retries or replays all executions that match a filter',
    steps,
    index: indexSteps(bulkWorkflowId, steps),
    input: undefined,
    result: undefined,
    suspendSchema: undefined,
    resumeSchema: undefined,
    retries,
    timeoutMs: undefined,
    hooks: {},
    priority: 0,
    users: {},
    flowControl: {},
    schedules: [],
    isInternal: true,
    versions: [],
    replaces: [],
  };
}

async function runPages(runtime: BulkRuntime, context: CodeContext<unknown>): Promise<BulkReport> {
  const { step } = context;
  const bulk = bulkInputOf(context);
  let { cursor, report } = bulk;
  for (let round = 0; round < pagesPerExecution; round += 1) {
    const page = await step(`read-${round}`, () => readPage(runtime, bulk, cursor));
    if (page === null) return report;
    const before = report;
    const added = await step(`apply-${round}`, async ({ setWorkflowState, signal }) => {
      const pageReport = reportOf(await applyToPage(runtime, bulk, page.targets, signal));
      setWorkflowState(changedFields(before, addReports(before, pageReport)));
      return pageReport;
    });
    report = addReports(before, added);
    ({ cursor } = page);
  }
  return step('continue', (last) => last.continueAsNew({ ...bulk, link: bulk.link + 1, cursor, report }));
}

/** @throws when the storage does not answer, or the step must stop. */
async function applyToPage(
  runtime: BulkRuntime,
  bulk: BulkInput,
  targets: readonly BulkTarget[],
  signal: AbortSignal,
): Promise<readonly BulkOutcome[]> {
  const outcomes: BulkOutcome[] = [];
  const failed = new AbortController();
  const stopped = AbortSignal.any([signal, failed.signal]);
  // Each worker takes the next target from the same iterator.
  const rest = targets.values();
  const work = async (): Promise<void> => {
    for (const target of rest) {
      stopped.throwIfAborted();
      outcomes.push(await applyToExecution(runtime, { ...bulk, signal: stopped }, target));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work)).catch((error: unknown) => {
    failed.abort(error);
    throw error;
  });
  return outcomes;
}

/** The input of an execution of the workflow, which only `BulkOperations` starts. */
export function bulkInputOf({ input }: { readonly input: unknown }): BulkInput {
  return input as BulkInput;
}
