import { type AgentEvent as RunEvent, compileUntrustedSchema, type ObjectEvent as RunObjectEvent } from '@halyard/core';
import type { TSchema } from '@sinclair/typebox';
import { type Call, defineRoute } from '../define/define-route.ts';
import { defineStream } from '../define/define-stream.ts';
import { shuttingDown } from '../errors/shutting-down.ts';
import { AgentEvent } from '../schemas/agent-event.ts';
import { anyObject } from '../schemas/any-object.ts';
import { GenerationRequest } from '../schemas/generation-request.ts';
import { IdParams } from '../schemas/id.ts';
import { ObjectEvent } from '../schemas/object-event.ts';
import { ObjectRequest } from '../schemas/object-request.ts';
import { TextResult } from '../schemas/text-result.ts';
import { batchesOf } from '../streaming/batches-of.ts';
import { collectText } from '../streaming/collect-text.ts';
import type { ContinuedRun } from '../streaming/continued-run.ts';
import { encodeAgentEvent } from '../streaming/encode-agent-event.ts';
import { frame } from '../streaming/frame.ts';
import { continueExecutions } from './continue-executions.ts';
import { nextTurn } from './next-turn.ts';
import { toRunOptions } from './run-options.ts';

const common = {
  method: 'POST',
  tier: 'user',
  tag: 'Agents',
  params: IdParams,
  bodySize: 'agent',
  failures: [404],
} as const;

/** Said of every route that takes answers to approvals. */
export const continues =
  'An answer to an agent at work in a workflow continues that execution, which a client that leaves does not end.';

export const generationRoutes = [
  defineRoute({
    ...common,
    url: '/agents/:id/text',
    operationId: 'generateText',
    summary: 'Generate text',
    description: `${continues} Answers with what is said and done from then on, until it ends or waits again.`,
    failures: [404, 500],
    body: GenerationRequest,
    data: TextResult,
    handler: async (call, services) => {
      const { input, options } = call.body;
      const agent = services.registry.getAgent(call.params.id);
      const runOptions = toRunOptions(options, call, services);
      // A plain text answers nothing, and most requests are that.
      const continued =
        typeof input === 'string' ? undefined : await continueExecutions(agent, input, runOptions, call, services);
      const result =
        continued === undefined
          ? await agent.generateText(input, runOptions)
          : await collectContinued(continued, runOptions.conversationId, call);
      await nextTurn();
      return result;
    },
  }),
  defineStream({
    ...common,
    url: '/agents/:id/stream',
    operationId: 'streamText',
    summary: 'Stream the events of a run',
    description: `${continues} Its events are told until it ends or waits again.`,
    body: GenerationRequest,
    event: AgentEvent,
    encode: encodeAgentEvent,
    encodeFailure: (error) => frame({ type: 'error', error } satisfies RunEvent),
    open: async (call, services) => {
      const { input, options } = call.body;
      const agent = services.registry.getAgent(call.params.id);
      const runOptions = toRunOptions(options, call, services);
      if (typeof input === 'string') return agent.streamText(input, runOptions);
      const continued = await continueExecutions(agent, input, runOptions, call, services);
      return continued ?? agent.streamText(input, runOptions);
    },
  }),
  defineRoute({
    ...common,
    url: '/agents/:id/object',
    operationId: 'generateObject',
    summary: 'Generate an object that fits a JSON Schema',
    failures: [404, 500],
    body: ObjectRequest,
    data: anyObject({ description: 'The object, which fits the schema that was sent.' }),
    handler: async (call, services) => {
      const agent = services.registry.getAgent(call.params.id);
      const schema = compileUntrustedSchema(call.body.schema);
      const { object } = await agent.generateCompiled(
        call.body.input,
        schema,
        toRunOptions(call.body.options, call, services),
      );
      // Only schemas of type object are accepted.
      return object as Record<string, unknown>;
    },
  }),
  defineStream({
    ...common,
    url: '/agents/:id/stream-object',
    operationId: 'streamObject',
    summary: 'Stream an object as it is written',
    body: ObjectRequest,
    event: ObjectEvent,
    encode: (event: RunObjectEvent) => frame(event),
    encodeFailure: (error) => frame({ type: 'error', error } satisfies ObjectEvent),
    open: async (call, services) => {
      const agent = services.registry.getAgent(call.params.id);
      const schema = compileUntrustedSchema(call.body.schema);
      const reading = new AbortController();
      const signal = AbortSignal.any([call.signal, reading.signal]);
      const events = await agent.streamCompiled(
        call.body.input,
        schema,
        toRunOptions(call.body.options, { caller: call.caller, signal, traceParent: call.traceParent }, services),
      );
      return batchesOf(events, () => reading.abort());
    },
  }),
];

async function collectContinued(
  run: ContinuedRun,
  conversationId: string | undefined,
  { signal }: Pick<Call<TSchema, TSchema, TSchema>, 'signal'>,
): ReturnType<typeof collectText> {
  signal.addEventListener('abort', () => run.cancel(), { once: true });
  if (signal.aborted) run.cancel();
  const result = await collectText(run, conversationId);
  // The execution continues in any case; a client that left gets no answer at all.
  if (signal.aborted) throw shuttingDown();
  return result;
}
