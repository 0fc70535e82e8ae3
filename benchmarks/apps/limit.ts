import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import Fastify from 'fastify';
import {
  agentSummary,
  frame,
  type GenerationRequest,
  runResult,
  sseHeaders,
  success,
  type Usage,
  workflowFrames,
} from './contract.ts';
import { listen } from './listen.ts';
import {
  answerText,
  deltas,
  prompts,
  tokensPerCall,
  weatherCall,
  weatherIn,
  workflowId,
  workflowSteps,
} from './workload.ts';

/**
 * The cost of Fastify and the sockets alone: bodies and frames are prebuilt, with the size of
 * Halyard's. No model is called.
 */

const json = 'application/json; charset=utf-8';
const agents = JSON.stringify(success([agentSummary]));
const { toolCallId, toolName, input } = weatherCall;
const text = textBody(1, [], []);
const toolText = textBody(
  2,
  [{ toolCallId, toolName, input }],
  [{ toolCallId, toolName, input, output: weatherIn(input.city) }],
);
const frames = streamFrames();
const [executionId, now] = [randomUUID(), new Date().toISOString()];
const outputs = workflowSteps.map((_, index) => ({ n: index + 1 }));
const run = JSON.stringify(success(runResult(executionId, now, { n: workflowSteps.length })));
const events = workflowFrames(executionId, now, outputs);

const app = Fastify({ logger: { level: 'warn' } });

app.get('/agents', (_request, reply) => reply.type(json).send(agents));

app.post<{ Body: GenerationRequest }>('/agents/:id/text', (request, reply) =>
  reply.type(json).send(request.body.input === prompts.tool ? toolText : text),
);

app.post<{ Body: GenerationRequest }>('/agents/:id/stream', (request, reply) => {
  reply.hijack();
  reply.raw.writeHead(200, sseHeaders);
  if (request.body.input === prompts.burst) writeAtOnce(reply.raw);
  else setImmediate(writeOnePerTurn, reply.raw, 0);
});

app.post(`/workflows/${workflowId}/execute`, (_request, reply) => reply.type(json).send(run));

app.post(`/workflows/${workflowId}/stream`, (_request, reply) => {
  reply.hijack();
  reply.raw.writeHead(200, sseHeaders);
  for (const each of events) reply.raw.write(each);
  reply.raw.end();
});

await listen(app);

function writeAtOnce(response: ServerResponse): void {
  for (const each of frames) response.write(each);
  response.end();
}

function writeOnePerTurn(response: ServerResponse, index: number): void {
  const each = frames[index];
  if (each === undefined) {
    response.end();
    return;
  }
  const flushed = response.write(each);
  if (index + 1 === frames.length) response.end();
  else if (flushed) setImmediate(writeOnePerTurn, response, index + 1);
  else response.once('drain', () => writeOnePerTurn(response, index + 1));
}

function textBody(calls: number, toolCalls: readonly unknown[], toolResults: readonly unknown[]): string {
  return JSON.stringify(
    success({ text: answerText, usage: usage(calls), finishReason: 'stop', toolCalls, toolResults }),
  );
}

/**
 * One frame per delta. The events before the first and after the last delta are in the same frames,
 * as with the scripted model.
 */
function streamFrames(): string[] {
  const all = deltas.map((delta) => frame({ type: 'text-delta', id: '0', delta }));
  const head = [{ type: 'start' }, { type: 'start-step' }, { type: 'text-start', id: '0' }].map(frame).join('');
  const ending = { finishReason: 'stop', usage: usage(1) };
  const tail = [
    { type: 'text-end', id: '0' },
    { type: 'finish-step', ...ending },
    { type: 'finish', ...ending },
  ]
    .map(frame)
    .join('');
  const last = all.length - 1;
  return all.map((each, index) => `${index === 0 ? head : ''}${each}${index === last ? tail : ''}`);
}

function usage(calls: number): Usage {
  const promptTokens = calls * tokensPerCall.input;
  const completionTokens = calls * tokensPerCall.output;
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    cachedInputTokens: 0,
    reasoningTokens: 0,
  };
}
