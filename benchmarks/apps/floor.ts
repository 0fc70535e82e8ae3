import { once } from 'node:events';
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import Fastify from 'fastify';
import { agentSummary, frame, type GenerationRequest, sseHeaders, success, type Usage } from './contract.ts';
import { listen } from './listen.ts';
import { servePlainWorkflow } from './plain-workflow.ts';
import { RememberedConversations } from './remembered-conversations.ts';
import { scriptedModel as model } from './scripted-model.ts';
import { weatherIn, weatherTool } from './workload.ts';

/**
 * The minimal server that calls the model: a loop over `doGenerate` and `doStream` without
 * validation or recording.
 */

const maxSteps = 10;
const { name, description, inputSchema } = weatherTool;
const tools = [{ type: 'function' as const, name, description, inputSchema }];
const remembered = new RememberedConversations<LanguageModelV4Message>((role, text) => ({
  role,
  content: [{ type: 'text', text }],
}));

const app = Fastify({ logger: { level: 'warn' } });

app.get('/agents', () => success([agentSummary]));

app.post<{ Body: GenerationRequest }>('/agents/:id/text', async (request) => {
  const { input: question, options } = request.body;
  const prompt = options === undefined ? userPrompt(question) : remembered.prompt(options.conversationId, question);
  const usage = noUsage();
  const toolCalls: unknown[] = [];
  const toolResults: unknown[] = [];
  let text = '';
  let finishReason = 'stop';
  for (let step = 0; step < maxSteps; step += 1) {
    const result = await model.doGenerate({ prompt, tools });
    addUsage(usage, result.usage);
    finishReason = result.finishReason.unified;
    const calls: LanguageModelV4ToolCall[] = [];
    for (const part of result.content) {
      if (part.type === 'text') text += part.text;
      if (part.type === 'tool-call') calls.push(part);
    }
    if (calls.length === 0) break;
    for (const call of calls) {
      const { toolCallId, toolName, input, output } = runTool(prompt, call);
      toolCalls.push({ toolCallId, toolName, input });
      toolResults.push({ toolCallId, toolName, input, output });
    }
  }
  if (options !== undefined) remembered.add(options.conversationId, question, text);
  return success({ text, usage, finishReason, toolCalls, toolResults });
});

app.post<{ Body: GenerationRequest }>('/agents/:id/stream', async (request, reply) => {
  reply.hijack();
  const response = reply.raw;
  const prompt = userPrompt(request.body.input);
  const total = noUsage();
  let finishReason = 'stop';
  response.writeHead(200, sseHeaders);
  response.write(frame({ type: 'start' }));
  for (let step = 0; step < maxSteps; step += 1) {
    response.write(frame({ type: 'start-step' }));
    const calls: LanguageModelV4ToolCall[] = [];
    const reader = (await model.doStream({ prompt, tools })).stream.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const part = read.value;
      if (part.type === 'text-delta') {
        const flushed = response.write(
          `data: {"type":"text-delta","id":"${part.id}","delta":${JSON.stringify(part.delta)}}\n\n`,
        );
        if (!flushed) await once(response, 'drain');
      } else if (part.type === 'text-start' || part.type === 'text-end') {
        response.write(frame({ type: part.type, id: part.id }));
      } else if (part.type === 'tool-call') {
        calls.push(part);
      } else if (part.type === 'finish') {
        const usage = noUsage();
        addUsage(usage, part.usage);
        addUsage(total, part.usage);
        finishReason = part.finishReason.unified;
        response.write(frame({ type: 'finish-step', finishReason, usage }));
      }
    }
    for (const call of calls) response.write(frame({ type: 'tool-result', ...runTool(prompt, call) }));
    if (calls.length === 0) break;
  }
  response.end(frame({ type: 'finish', finishReason, usage: total }));
});

servePlainWorkflow(app);

await listen(app);

function userPrompt(text: string): LanguageModelV4Prompt {
  return [{ role: 'user', content: [{ type: 'text', text }] }];
}

function runTool(
  prompt: LanguageModelV4Prompt,
  call: LanguageModelV4ToolCall,
): {
  toolCallId: string;
  toolName: string;
  input: { city: string };
  output: ReturnType<typeof weatherIn>;
} {
  const { toolCallId, toolName } = call;
  const input: { city: string } = JSON.parse(call.input);
  const output = weatherIn(input.city);
  prompt.push(
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'json', value: output } }] },
  );
  return { toolCallId, toolName, input, output };
}

function noUsage(): Usage {
  return { promptTokens: 0, completionTokens: 0, totalTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
}

function addUsage(sum: Usage, { inputTokens, outputTokens }: LanguageModelV4Usage): void {
  sum.promptTokens += inputTokens.total ?? 0;
  sum.completionTokens += outputTokens.total ?? 0;
  sum.totalTokens += (inputTokens.total ?? 0) + (outputTokens.total ?? 0);
  sum.cachedInputTokens += inputTokens.cacheRead ?? 0;
  sum.reasoningTokens += outputTokens.reasoning ?? 0;
}
