import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import {
  generateText,
  isStepCount,
  jsonSchema,
  type LanguageModelUsage,
  type ModelMessage,
  streamText,
  type TextStreamPart,
  tool,
  type ToolSet,
} from 'ai';
import Fastify from 'fastify';
import { agentSummary, frame, type GenerationRequest, sseHeaders, success, type Usage } from './contract.ts';
import { listen } from './listen.ts';
import { servePlainWorkflow } from './plain-workflow.ts';
import { RememberedConversations } from './remembered-conversations.ts';
import { scriptedModel as model } from './scripted-model.ts';
import { weatherIn, weatherTool } from './workload.ts';

/** An app without a framework: Fastify and the AI SDK's own loop. */

const tools = {
  getWeather: tool({
    description: weatherTool.description,
    inputSchema: jsonSchema<{ city: string }>(weatherTool.inputSchema),
    execute: async ({ city }) => weatherIn(city),
  }),
};
const stopWhen = isStepCount(10);
const remembered = new RememberedConversations<ModelMessage>((role, content) => ({ role, content }));

const app = Fastify({ logger: { level: 'warn' } });

app.get('/agents', () => success([agentSummary]));

app.post<{ Body: GenerationRequest }>('/agents/:id/text', async (request, reply) => {
  const abortSignal = abortOnClose(reply.raw);
  const { input: question, options } = request.body;
  const prompt =
    options === undefined ? { prompt: question } : { messages: remembered.prompt(options.conversationId, question) };
  const { text, usage, finishReason, steps } = await generateText({ model, tools, stopWhen, ...prompt, abortSignal });
  if (options !== undefined) remembered.add(options.conversationId, question, text);
  return success({
    text,
    usage: toUsage(usage),
    finishReason,
    toolCalls: steps.flatMap((step) =>
      step.toolCalls.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input })),
    ),
    toolResults: steps.flatMap((step) =>
      step.toolResults.map(({ toolCallId, toolName, input, output }) => ({ toolCallId, toolName, input, output })),
    ),
  });
});

app.post<{ Body: GenerationRequest }>('/agents/:id/stream', async (request, reply) => {
  reply.hijack();
  const response = reply.raw;
  const abortSignal = abortOnClose(response);
  response.writeHead(200, sseHeaders);
  const { stream } = streamText({ model, tools, stopWhen, prompt: request.body.input, abortSignal });
  for await (const part of stream) {
    const flushed = response.write(toFrame(part));
    if (!flushed) await once(response, 'drain', { signal: abortSignal });
  }
  response.end();
});

servePlainWorkflow(app);

await listen(app);

function abortOnClose(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

function toFrame(part: TextStreamPart<ToolSet>): string {
  switch (part.type) {
    case 'start-step':
      return frame({ type: 'start-step' });
    case 'text-delta':
      return frame({ type: 'text-delta', id: part.id, delta: part.text });
    case 'finish-step':
      return frame({ type: 'finish-step', finishReason: part.finishReason, usage: toUsage(part.usage) });
    case 'finish':
      return frame({ type: 'finish', finishReason: part.finishReason, usage: toUsage(part.totalUsage) });
    default:
      return frame(part);
  }
}

function toUsage(usage: LanguageModelUsage): Usage {
  return {
    promptTokens: usage.inputTokens ?? 0,
    completionTokens: usage.outputTokens ?? 0,
    totalTokens: usage.totalTokens ?? 0,
    cachedInputTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
    reasoningTokens: usage.outputTokenDetails.reasoningTokens ?? 0,
  };
}
