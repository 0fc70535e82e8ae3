import type { JsonValue } from '@halyard/contracts';
import type { RunOptions } from '../../agent/agent-options.ts';
import type { Agent } from '../../agent/agent.ts';
import type { Jsonify } from '../../json/jsonify.ts';
import type { AgentInput } from '../../model/messages/message.ts';
import { compileSchema, type CompiledSchema } from '../../schema/compile-schema.ts';
import type { InferSchema, Schema } from '../../schema/schema.ts';
import { createStep } from '../definition/create-step.ts';
import type { DataContext, Flow } from '../definition/step-context.ts';
import type { BodyOptions, CompensateOption, Step, StepOptions, StepOutput } from '../definition/step.ts';
import { runAgentStep } from '../interpreter/step/run-agent-step.ts';

export interface AgentStepOptions<In, S extends Schema | undefined, F extends Flow, Id extends string = string>
  extends StepOptions<Id>, Pick<BodyOptions, 'retries' | 'timeoutMs'>, CompensateOption<AgentOutput<S>, F> {
  readonly agent: Agent;
  /**
   * The prompt: text, messages, or a function of the data that returns them. The function is called
   * once; its result is recorded.
   */
  readonly prompt: AgentInput | ((context: DataContext<In, F>) => AgentInput | Promise<AgentInput>);
  /**
   * Schema of the reply. The output is then an object that fits it; without a schema it is the text
   * of the reply.
   */
  readonly schema?: S | undefined;
  /** Options of the run, as for the agent's own methods. */
  readonly options?: Omit<RunOptions, 'services' | 'signal' | 'user'> | undefined;
}

/** The output of an agent step. */
export type AgentOutput<S extends Schema | undefined> = S extends Schema ? Jsonify<InferSchema<S>> : string;

/**
 * Runs an agent. Each model call and each tool call is recorded when it ends, and a recorded call
 * is never made again. A tool that needs approval suspends the workflow.
 */
export function andAgent<
  In,
  S extends Schema | undefined = undefined,
  F extends Flow = Flow,
  Id extends string = string,
>(options: AgentStepOptions<In, S, F, Id>): Step<In, AgentOutput<S>, F, StepOutput<Id, AgentOutput<S>>> {
  const { agent, id, prompt, schema } = options;
  const compiled: CompiledSchema<unknown> | undefined =
    schema === undefined ? undefined : compileSchema(schema, `the schema of step "${id}"`);
  const { compensate } = options as CompensateOption<unknown, Flow>;
  return createStep('andAgent', options, {
    agent,
    ...(compensate !== undefined && { compensate }),
    run: (run, data: JsonValue) =>
      runAgentStep(run, data, { agent, prompt, schema: compiled, options: options.options ?? {} }),
  });
}
