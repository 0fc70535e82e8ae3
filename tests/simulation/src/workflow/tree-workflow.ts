import type { JsonValue } from '@halyard/contracts';
import {
  andAll,
  andBranch,
  andDoWhile,
  andForEach,
  andRace,
  andRun,
  andSleep,
  andTap,
  andThen,
  andTry,
  andWhen,
  andWorkflow,
  type Flow,
  type Step,
  type StepContext,
  type TryFailure,
  Workflow,
} from '@halyard/core';
import type { CalledStepOptions, FlowControl, WorkflowDefinition } from '@halyard/core/server';
import { bodyOutput, continuesAfter } from './possible-ends.ts';
import type { BodyPlan, BodyStep, TreeStep } from './random-tree.ts';
import { must } from './violation.ts';

type CallStep = (execute: (context: StepContext<JsonValue>) => unknown, options: CalledStepOptions) => void;

/** Connects step bodies to the simulation. */
export interface BodyObserver {
  /**
   * Reports that a body starts. Returns a promise that never settles when its process has crashed.
   */
  readonly starts: (executionId: string, path: string, resumeData: unknown) => Promise<void> | undefined;
  /** Resolves when the body may return. */
  readonly works: (path: string) => Promise<void>;
}

/** Steps of a random tree accept and return any JSON. */
type AnyJson = Step<JsonValue, unknown>;

class BodyFailure extends Error {}

/** Creates the workflows of the trees, by id, for one process. */
export function treeWorkflows(
  trees: ReadonlyMap<string, readonly TreeStep[]>,
  observer: BodyObserver,
  flowControl: FlowControl,
): ReadonlyMap<string, WorkflowDefinition> {
  return new Map([...trees].map(([id, steps]) => [id, treeWorkflow(id, steps, observer, flowControl)]));
}

/** Creates the workflow that a tree describes, for one process. */
export function treeWorkflow(
  id: string,
  steps: readonly TreeStep[],
  observer: BodyObserver,
  flowControl: FlowControl = {},
): Workflow<JsonValue, JsonValue, Flow> {
  return new Workflow({
    id,
    name: id,
    purpose: '',
    steps: steps.map((step) => treeStep(step, observer)),
    input: undefined,
    result: undefined,
    suspendSchema: undefined,
    resumeSchema: undefined,
    access: 'users',
    retries: {},
    timeoutMs: undefined,
    hooks: {},
    priority: 0,
    flowControl,
    users: {},
    schedules: [],
    versions: [],
    replaces: [],
  });
}

function treeStep(step: TreeStep, observer: BodyObserver): AnyJson {
  const { id } = step;
  const inner =
    'steps' in step && step.kind !== 'workflow' && step.kind !== 'run'
      ? step.steps.map((each) => treeStep(each, observer))
      : [];
  switch (step.kind) {
    case 'then':
      return andThen<JsonValue, unknown>({ id, ...bodyOf(step.body, observer, itself) });
    case 'tap':
      return andTap({ id, ...bodyOf(step.body, observer, itself) });
    case 'sleep':
      return andSleep({ id, durationMs: step.durationMs });
    case 'try': {
      const [tried = only([]), ...handlers] = inner;
      const named = Object.fromEntries(step.handlers.map((role, index) => [role, handlers[index]]));
      const [failure] = step.steps.slice(1).filter((_, index) => step.handlers[index] === 'catch');
      return andTry<JsonValue, unknown, unknown>({
        id,
        step: tried,
        ...named,
        ...(failure !== undefined && 'body' in failure && { catch: catchStep(failure, observer) }),
      });
    }
    case 'run':
      return andRun<JsonValue, unknown>({
        id,
        run: async ({ data, step: call }) => {
          if (step.isParallel)
            return Promise.all(
              step.steps.map(({ body, id: called }) => call(called, ...calledBody(body, observer, data))),
            );
          let output = data;
          for (const { body, id: called } of step.steps)
            output = (await call(called, ...calledBody(body, observer, output))) as JsonValue;
          return output;
        },
      });
    case 'when':
      return andWhen({ id, condition: () => step.conditions, step: only(inner) });
    case 'all':
      return andAll({ id, steps: inner });
    case 'race':
      return andRace({ id, steps: inner });
    case 'branch':
      return andBranch({
        id,
        branches: inner.map((each, index) => ({ condition: () => step.conditions[index] === true, step: each })),
      });
    case 'forEach': {
      const { concurrency, items } = step;
      return andForEach({
        id,
        concurrency,
        items: () => [...Array(items).keys()],
        step: only(inner),
      });
    }
    case 'doWhile': {
      const { maxIterations } = step;
      return andDoWhile({
        id,
        maxIterations,
        condition: ({ data }) => continuesAfter(data),
        step: only(inner) as Step<JsonValue, JsonValue>,
      });
    }
    case 'workflow':
      return andWorkflow<JsonValue, unknown>({
        id,
        workflow: treeWorkflow(`${id}-workflow`, step.steps, observer),
      });
    default:
      return step satisfies never;
  }
}

/** Its output depends on the data of the failed step, and not on the error. */
function catchStep({ body, id }: BodyStep, observer: BodyObserver): Step<TryFailure<JsonValue>, unknown> {
  return andThen({ id, ...bodyOf<TryFailure<JsonValue>>(body, observer, ({ data }) => data) });
}

/** The function and the options of a step that code calls with this data. */
function calledBody(body: BodyPlan, observer: BodyObserver, data: JsonValue): Parameters<CallStep> {
  const { execute, retries } = bodyOf<JsonValue>(body, observer, () => data);
  return [execute, { retries }];
}

function only([step]: readonly AnyJson[]): AnyJson {
  must(step !== undefined, () => 'a step that needs an inner step has none');
  return step;
}

function itself(data: JsonValue): JsonValue {
  return data;
}

function bodyOf<Data>(
  { end, failures, throwsOnAbort, isSync, suspends, attempts }: BodyPlan,
  observer: BodyObserver,
  dataOf: (data: Data) => JsonValue,
): {
  readonly retries: { readonly attempts: number; readonly delayMs: number };
  readonly execute: (context: StepContext<Data>) => JsonValue | Promise<JsonValue>;
} {
  const finish = (context: StepContext<Data>, path: string): JsonValue => {
    const { abort, bail, data, resumeData, retryCount, setWorkflowState, signal, suspend } = context;
    if (throwsOnAbort && signal.aborted) throw new DOMException('aborted', 'AbortError');
    if (suspends && resumeData === undefined) suspend(`${path} waits`);
    if (retryCount < failures) throw new BodyFailure(`${path} fails`);
    setWorkflowState({ [path]: resumeData ?? null, last: path });
    if (end === 'bail') bail(bodyOutput(path, dataOf(data)));
    if (end === 'abort') abort();
    return bodyOutput(path, dataOf(data));
  };
  return {
    retries: { attempts, delayMs: 400 },
    execute: (context) => {
      const { idempotencyKey, resumeData } = context;
      const slash = idempotencyKey.indexOf('/');
      const path = idempotencyKey.slice(slash + 1);
      const stopped = observer.starts(idempotencyKey.slice(0, slash), path, resumeData);
      if (stopped !== undefined) return stopped.then(() => null);
      if (isSync) return finish(context, path);
      return observer.works(path).then(() => finish(context, path));
    },
  };
}
