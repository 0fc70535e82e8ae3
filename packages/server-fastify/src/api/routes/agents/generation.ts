import type { AgentEvent as RunEvent, ObjectEvent as RunObjectEvent } from '@halyard/core';
import {
  collectText,
  type CompiledSchema,
  resumeExecutions,
  type ResumeServices,
  notStoredWarning,
  toText,
  toTextReply,
  toStreamEvent,
} from '@halyard/core/server';
import { type Caller, callerKey } from '../../../access/identity.ts';
import { auditedResponses } from '../../../runtime/audit/audited-approvals.ts';
import { shuttingDown } from '../../../runtime/lifecycle/shutting-down.ts';
import { defineRoute } from '../../define/define-route.ts';
import { defineStream } from '../../define/define-stream.ts';
import type { Services } from '../../services.ts';
import { frame } from '../../streaming/frame.ts';
import { anyObject, IdParams } from '../common-schemas.ts';
import { readChatRequest } from './chat-request.ts';
import { AgentEvent, ObjectEvent } from './event-schemas.ts';
import { toRunOptions } from './run-options.ts';
import { GenerationRequest, ObjectRequest, StreamRequest, TextResult } from './schemas.ts';
import { toJsonText } from './text-streams.ts';

const common = {
  method: 'POST',
  tier: 'user',
  tag: 'Agents',
  audit: auditedResponses,
  params: IdParams,
  bodySize: 'agent',
  failures: [404, 409],
} as const;

/** Description of every route that accepts responses to approvals. */
export const resumesExecutions =
  'The response to an approval request of an agent in a workflow resumes that execution. A client that leaves does not end it.';

const textInstead = 'Clients that send `Accept: text/plain` get, instead of events,';

export const generationRoutes = [
  defineRoute({
    ...common,
    url: '/agents/:id/text',
    operationId: 'generateText',
    summary: 'Generate text',
    description: `${resumesExecutions} The result is what the agent does from then on, until it ends or waits again.`,
    failures: [404, 409, 500],
    body: GenerationRequest,
    data: TextResult,
    handler: async (call, services) => {
      const { input, options } = call.body;
      const agent = services.registry.getAgent(call.params.id);
      const runOptions = toRunOptions(options, call, services);
      const resumed = await resumeExecutions(agent, input, runOptions, servicesFor(call, services));
      if (resumed === undefined) {
        const result = await agent.generateText(input, runOptions);
        for (const warning of result.warnings) if (warning.type === 'other') call.warn(warning.message);
        return toTextReply(result);
      }
      const result = await collectText(resumed, runOptions.conversationId);
      // The executions continue in any case; a client that left gets no reply at all.
      if (call.signal.aborted) throw shuttingDown();
      return result;
    },
  }),
  defineStream({
    ...common,
    url: '/agents/:id/stream',
    operationId: 'streamText',
    summary: 'Stream the events of a run',
    description: `Takes a generation request, or what \`TextStreamChatTransport\` or \`useCompletion\` of the AI SDK sends. ${textInstead} the text. ${resumesExecutions} Its events are sent until it ends or waits again.`,
    body: StreamRequest,
    event: AgentEvent,
    encode: (event: RunEvent) => {
      const sent = toStreamEvent(event);
      return sent === undefined ? '' : frame(sent);
    },
    encodeFailure: (error) => frame({ type: 'error', error } satisfies RunEvent),
    toText,
    handler: async (call, services) => {
      const { chat, input } = readChatRequest(call.body);
      const agent = services.registry.getAgent(call.params.id);
      const runOptions = toRunOptions(call.body.options, call, services, chat);
      const resumed = await resumeExecutions(agent, input, runOptions, servicesFor(call, services));
      if (resumed !== undefined) return resumed.batches();
      const warning = notStoredWarning(agent, services.agentServices, runOptions.conversationId);
      if (warning !== undefined) call.warn(warning);
      return (await agent.streamText(input, runOptions)).batches();
    },
  }),
  defineRoute({
    ...common,
    url: '/agents/:id/object',
    operationId: 'generateObject',
    summary: 'Generate an object that fits a JSON Schema',
    failures: [404, 409, 500],
    body: ObjectRequest,
    data: anyObject({ description: 'The object, which fits the schema that was sent.' }),
    handler: async (call, services) => {
      const agent = services.registry.getAgent(call.params.id);
      const schema = await compileSchema(call, services);
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
    summary: 'Stream an object while it is generated',
    description: `${textInstead} the JSON text of the object, as \`useObject\` of the AI SDK reads it.`,
    body: ObjectRequest,
    event: ObjectEvent,
    encode: (event: RunObjectEvent) => frame(event),
    encodeFailure: (error) => frame({ type: 'error', error } satisfies ObjectEvent),
    toText: toJsonText,
    handler: async (call, services) => {
      const agent = services.registry.getAgent(call.params.id);
      const schema = await compileSchema(call, services);
      return oneByOne(
        await agent.streamCompiled(call.body.input, schema, toRunOptions(call.body.options, call, services)),
      );
    },
  }),
];

/** The services that continue executions for a caller. */
export function servicesFor({ caller }: { readonly caller: Caller }, services: Services): ResumeServices {
  return { ...services, hiddenWorkflows: services.targets.hiddenWorkflows(caller) };
}

interface ObjectCall {
  readonly body: ObjectRequest;
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

function compileSchema({ body, caller, signal }: ObjectCall, { schemas }: Services): Promise<CompiledSchema<unknown>> {
  return schemas.compile(body.schema, { caller: callerKey(caller), signal });
}

async function* oneByOne<Event>(events: AsyncIterable<Event>): AsyncGenerator<readonly Event[], void, undefined> {
  for await (const event of events) yield [event];
}
