import type { JsonValue } from '@halyard/contracts';
import type { AgentEvent } from '../../../agent/agent-event.ts';
import type { InternalRunOptions } from '../../../agent/agent-options.ts';
import type { Agent } from '../../../agent/agent.ts';
import type { AgentJournal } from '../../../agent/loop/journal.ts';
import { startRun } from '../../../agent/loop/start.ts';
import type { CallSuspension, SuspensionResumeData } from '../../../agent/loop/suspensions.ts';
import { fittingObject, objectRequest } from '../../../agent/objects/structured-output.ts';
import { isoTime } from '../../../json/iso-time.ts';
import { copyJson, toJson } from '../../../json/to-json.ts';
import type { AgentInput } from '../../../model/messages/message.ts';
import type { CompiledSchema } from '../../../schema/compile-schema.ts';
import { callPath } from '../../definition/place.ts';
import type { DataContext, Flow } from '../../definition/step-context.ts';
import { acceptJson } from '../../engine/accept-json.ts';
import { ScopeClosedSignal } from '../branches/control-signals.ts';
import { askAuthor } from './ask-author.ts';
import { retryStorage } from './retry-storage.ts';
import { runBody } from './run-body.ts';
import type { StepRun } from './step-run.ts';

/** The work of an agent in a workflow. */
export interface AgentWork<In, F extends Flow> {
  readonly agent: Agent;
  readonly prompt: AgentInput | ((context: DataContext<In, F>) => AgentInput | Promise<AgentInput>);
  readonly schema: CompiledSchema<unknown> | undefined;
  readonly options: InternalRunOptions;
}

/**
 * Runs an agent for a step. Its model and tool calls are entries of the execution's journal; its
 * events are published live, each once.
 *
 * A step that is retried, resumed or taken over repeats the recorded calls from the journal and
 * continues after them. A tool that needs approval, or that suspends the workflow, suspends the
 * step. A response at the resume route is checked against the pending suspension only, not against
 * the expiry of its signature, because the server stored that suspension itself. A response in a
 * chat must not be expired.
 */
export async function runAgentStep<In, F extends Flow>(
  run: StepRun,
  data: JsonValue,
  { agent, options, prompt, schema }: AgentWork<In, F>,
): Promise<JsonValue> {
  const { execution } = run;
  const input = await buildPrompt(run, data, prompt);
  const { bus, services } = run.executionRun.options;
  return runBody(run, data, async ({ retryCount, signal, user }) => {
    const journal = new StepJournal(run);
    const { context, conversationId, userId } = execution;
    const runOptions: InternalRunOptions = {
      context,
      ...(userId !== undefined && { userId }),
      ...(conversationId !== undefined && { conversationId }),
      ...(user !== undefined && { user }),
      ...options,
      signal,
      journal,
      services: { ...services, logger: run.logger },
    };
    // A reply that did not fit is recorded: each retry of the step allows the agent one more reply.
    const object = schema === undefined ? undefined : objectRequest(schema, { repairs: 1 + retryCount });
    const { result } = await startRun(agent, input, runOptions, {
      operation: schema === undefined ? 'text' : 'object',
      object,
      output: { emit: (event) => publishLive(run, event), isStreaming: () => bus.hasListeners(execution.creationId) },
    });
    const answer = await result;
    return schema === undefined ? answer.fullText : fittingObject(answer, schema, agent.id);
  });
}

async function buildPrompt<In, F extends Flow>(
  run: StepRun,
  data: JsonValue,
  prompt: AgentWork<In, F>['prompt'],
): Promise<AgentInput> {
  if (typeof prompt !== 'function') return prompt;
  // The author's code returned messages; as JSON they are still messages.
  return (await run.decide('prompt', async () =>
    acceptJson(await askAuthor(run, data, prompt), 'its prompt is'),
  )) as AgentInput;
}

function publishLive({ executionRun, execution, scope, stepId }: StepRun, event: AgentEvent): undefined {
  const { bus } = executionRun.options;
  if (scope.isClosed || !bus.hasListeners(execution.creationId)) return;
  bus.live(execution.creationId, { type: 'agent-event', from: stepId, timestamp: isoTime(executionRun.now()), event });
}

/** The journal of an agent's run: entries of the execution, below its step. */
export class StepJournal implements AgentJournal {
  readonly suspensions: NonNullable<AgentJournal['suspensions']>;
  readonly #run: StepRun;
  /** Paths that this attempt recorded itself. */
  readonly #recorded = new Set<string>();

  constructor(run: StepRun) {
    this.#run = run;
    const { executionRun } = run;
    this.suspensions = {
      executionId: run.execution.id,
      conversationId: run.execution.conversationId,
      callAddress: (key) => `${executionRun.root.id}/${this.#path(key)}`,
      findResumeData: (key) => this.#findResumeData(this.#path(key)),
      findPending: (key) => this.#findPending(key),
      abort: (reason) => executionRun.cancel(reason),
    };
  }

  isDelivered(key: string): boolean {
    const path = this.#path(key);
    return this.#run.executionRun.journal.has(path) && !this.#recorded.has(path);
  }

  isStale(): boolean {
    return this.#run.scope.isClosed;
  }

  retryStorage<Result>(call: () => Promise<Result>): Promise<Result> {
    return retryStorage(this.#run, call);
  }

  async record<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    const { executionRun, scope } = this.#run;
    const path = this.#path(key);
    const entry = executionRun.journal.get(path);
    // The same call recorded it, so it has the same type.
    if (entry !== undefined) return copyJson(entry.output) as Value;
    executionRun.options.checkLease();
    if (scope.isClosed) throw new ScopeClosedSignal();
    const value = await work();
    if (scope.isClosed) throw new ScopeClosedSignal();
    this.#recorded.add(path);
    this.#run.recordAt(path, 'call', toJson(value));
    await executionRun.commits.saved();
    return value;
  }

  #findResumeData(path: string): SuspensionResumeData | undefined {
    const { journal, waits } = this.#run.executionRun;
    const entry = journal.get(path);
    if (entry !== undefined) return { data: entry.output };
    const resumption = waits.resumptions.get(path);
    if (resumption === undefined) return undefined;
    const { data, isTimeout, suspensionId: id } = resumption;
    // With data, the call asks again.
    if (isTimeout === true && data !== null) return undefined;
    return { data, id, ...(isTimeout === true && { isTimeout }) };
  }

  #findPending(key: string): CallSuspension | undefined {
    const suspension = this.#run.executionRun.waits.suspensions.get(this.#path(key));
    if (suspension === undefined) return undefined;
    const { data, reason } = suspension;
    return { key, kind: 'step', reason, data };
  }

  #path(key: string): string {
    return callPath(this.#run.path, key);
  }
}
