import type { JsonValue } from '@halyard/contracts';
import type { AgentEvent } from '../agent/agent-event.ts';
import type { RunOptions } from '../agent/agent-options.ts';
import type { Agent } from '../agent/agent.ts';
import type { AgentJournal } from '../agent/journal.ts';
import type { RunOutcome } from '../agent/run-agent.ts';
import { collectRun, startRun } from '../agent/start-run.ts';
import { fittingObject, objectRequest } from '../agent/structured-output.ts';
import { toJson } from '../json/to-json.ts';
import type { AgentInput } from '../model/message.ts';
import type { CompiledSchema } from '../schema/compile-schema.ts';
import type { DataContext, Flow } from '../workflow/step-context.ts';
import { ScopeClosedSignal } from './control.ts';
import { askAuthor } from './decide-on.ts';
import { isoTime } from './iso-time.ts';
import { runBody } from './run-body.ts';
import type { StepRun } from './step-run.ts';

/** The work of an agent in a workflow. */
export interface AgentWork<In, F extends Flow> {
  readonly agent: Agent;
  readonly prompt: AgentInput | ((context: DataContext<In, F>) => AgentInput | Promise<AgentInput>);
  readonly schema: CompiledSchema<unknown> | undefined;
  readonly options: RunOptions;
}

/** Runs an agent for a step: its calls are entries of the execution's journal, its events are told live to whoever watches. */
export async function runAgentStep<In, F extends Flow>(
  run: StepRun,
  data: JsonValue,
  { agent, options, prompt, schema }: AgentWork<In, F>,
): Promise<JsonValue> {
  const { execution } = run;
  const input = await promptOf(run, data, prompt);
  return runBody(run, data, async ({ signal, user }) => {
    const journal = new StepJournal(run);
    const { context, conversationId, userId } = execution;
    const runOptions: RunOptions = {
      context,
      ...(userId !== undefined && { userId }),
      ...(conversationId !== undefined && { conversationId }),
      ...(user !== undefined && { user }),
      ...options,
      signal,
      journal,
      services: run.activation.options.services,
    };
    const object = schema === undefined ? undefined : objectRequest(schema);
    const { lastText, result } = await outcomeOf(run, agent, input, runOptions, object, journal);
    return schema === undefined ? result.text : fittingObject(lastText, schema, agent.id);
  });
}

async function promptOf<In, F extends Flow>(
  run: StepRun,
  data: JsonValue,
  prompt: AgentWork<In, F>['prompt'],
): Promise<AgentInput> {
  if (typeof prompt !== 'function') return prompt;
  // What the author's code gave is messages, and stays so as JSON.
  return (await run.decide('prompt', async () => toJson(await askAuthor(run, data, prompt)))) as AgentInput;
}

async function outcomeOf(
  run: StepRun,
  agent: Agent,
  input: AgentInput,
  options: RunOptions,
  object: ReturnType<typeof objectRequest> | undefined,
  journal: StepJournal,
): Promise<RunOutcome> {
  const { activation, execution } = run;
  if (!activation.options.bus.hasListeners(execution.id)) return collectRun(agent, input, options, object);
  const { outcome, stream } = await startRun(agent, input, options, object);
  // What is repeated from the journal was told when it happened.
  for await (const event of stream) if (!journal.isRepeating) tellLive(run, event);
  return outcome;
}

function tellLive({ activation, execution, scope, stepId }: StepRun, event: AgentEvent): void {
  if (scope.isClosed) return;
  const timestamp = isoTime(activation.now());
  activation.options.bus.live(execution.id, { type: 'agent-event', from: stepId, timestamp, event });
}

/** The journal of an agent's run: entries of the execution, below its step. */
class StepJournal implements AgentJournal {
  readonly rests: NonNullable<AgentJournal['rests']>;
  readonly #run: StepRun;
  #isRepeating: boolean;

  constructor(run: StepRun) {
    this.#run = run;
    this.#isRepeating = run.activation.journal.has(this.#path('run'));
    const { activation } = run;
    this.rests = {
      executionId: run.execution.id,
      placeOf: (key) => `${activation.root.id}/${this.#path(key)}`,
      answerTo: (key, kind) => this.#answerTo(this.#path(key), kind),
      abort: (reason) => activation.cancel(reason),
    };
  }

  /** Whether the run has not come yet to where it was left. */
  get isRepeating(): boolean {
    return this.#isRepeating;
  }

  async record<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    const { activation, scope } = this.#run;
    const path = this.#path(key);
    const entry = activation.journal.get(path);
    // It is what the same call recorded.
    if (entry !== undefined) return entry.output as Value;
    this.#isRepeating = false;
    const value = await work();
    if (scope.isClosed) throw new ScopeClosedSignal();
    this.#run.recordAt(path, 'call', toJson(value));
    await activation.mailbox.saved();
    return value;
  }

  #answerTo(path: string, kind: 'approval' | 'step'): { readonly data: JsonValue } | undefined {
    const { journal, waits } = this.#run.activation;
    const entry = kind === 'approval' ? journal.get(path) : undefined;
    if (entry !== undefined) return { data: entry.output };
    const resumption = waits.resumptions.get(path);
    if (resumption === undefined) return undefined;
    if (kind === 'approval') this.#run.recordAt(path, 'approval', resumption.data);
    return { data: resumption.data };
  }

  #path(key: string): string {
    return `${this.#run.path}#${key}`;
  }
}
