import { agentId, answerText, deltas, tokensPerCall, weatherCall, workflowSteps } from '../apps/workload.ts';
import type { Answer } from './connection.ts';

/** An app that answers wrongly is out: its figure would be worth nothing. */
export class WrongAnswerError extends Error {
  override readonly name = 'WrongAnswerError';
}

/** Throws a WrongAnswerError unless the answer is whole and right. */
export type AnswerCheck = (answer: Answer) => void;

export function isAgentList({ status, body }: Answer): void {
  expect(status === 200, `status ${status}`, body);
  const { success, data }: AgentListBody = JSON.parse(body);
  expect(success === true && data?.[0]?.id === agentId, 'no list with the agent in it', body);
}

/** The latest 20 of many. */
export function isConversationList({ status, body }: Answer): void {
  expect(status === 200, `status ${status}`, body);
  const { data }: { data?: { conversations?: readonly unknown[]; total?: number } } = JSON.parse(body);
  expect(data?.conversations?.length === 20, 'not 20 conversations', body);
  expect((data?.total ?? 0) > 1_000, 'too few in all', body);
}

export function isText(answer: Answer): void {
  checkText(answer, 1);
}

export function isTextAfterTool(answer: Answer): void {
  const { toolCalls, toolResults } = checkText(answer, 2);
  expect(toolCalls?.length === 1, 'not one tool call', answer.body);
  expect(
    toolResults?.length === 1 && toolResults[0]?.output?.city === weatherCall.input.city,
    'not one tool result',
    answer.body,
  );
}

/** Every delta, in order, and one regular end. */
export function isStream({ status, body }: Answer): void {
  expect(status === 200, `status ${status}`, body);
  let text = '';
  let count = 0;
  let finish: StreamEvent | undefined;
  for (const frame of body.split('\n\n')) {
    if (!frame.startsWith('data: ')) continue;
    const event: StreamEvent = JSON.parse(frame.slice('data: '.length));
    expect(event.type !== 'error', 'an error event', frame);
    if (event.type === 'text-delta') {
      text += event.delta;
      count += 1;
    } else if (event.type === 'finish') finish = event;
  }
  expect(count === deltas.length, `${count} deltas instead of ${deltas.length}`, body);
  expect(text === answerText, 'another text', body);
  expect(finish?.finishReason === 'stop', 'no regular finish', body.slice(-300));
  expect(finish?.usage?.totalTokens === tokens(1), 'another usage', body.slice(-300));
}

/** What five steps make of the input. */
export function isRunResult({ status, body }: Answer): void {
  expect(status === 200, `status ${status}`, body);
  const { success, data }: RunBody = JSON.parse(body);
  expect(success === true && data?.status === 'completed', 'no completed run', body);
  expect(data?.result?.n === workflowSteps.length, 'another result', body);
}

/** Every event of five steps, numbered from 1. */
export function isRunStream({ status, body }: Answer): void {
  expect(status === 200, `status ${status}`, body);
  const frames = body.split('\n\n').filter((frame) => frame.startsWith('id: '));
  const wanted = 3 + 2 * workflowSteps.length;
  expect(frames.length === wanted, `${frames.length} events instead of ${wanted}`, body);
  for (const [index, frame] of frames.entries()) expect(frame.startsWith(`id: ${index + 1}\n`), 'a gap', frame);
  const last: RunEvent = JSON.parse(frames.at(-1)?.split('data: ', 2)[1] ?? '{}');
  expect(
    last.type === 'workflow-result' && last.result?.n === workflowSteps.length,
    'no regular end',
    body.slice(-300),
  );
}

function checkText({ status, body }: Answer, calls: number): TextData {
  expect(status === 200, `status ${status}`, body);
  const { success, data }: TextBody = JSON.parse(body);
  expect(success === true && data?.text === answerText, 'another text', body);
  expect(data?.finishReason === 'stop', 'no regular finish', body);
  expect(data?.usage?.totalTokens === tokens(calls), 'another usage', body);
  return data ?? {};
}

// What an answer should look like; JSON.parse promises nothing, so every field that counts is compared.

interface Usage {
  readonly totalTokens?: number;
}

interface AgentListBody {
  readonly success?: boolean;
  readonly data?: readonly { readonly id?: string }[];
}

interface RunBody {
  readonly success?: boolean;
  readonly data?: { readonly status?: string; readonly result?: { readonly n?: number } };
}

interface RunEvent {
  readonly type?: string;
  readonly result?: { readonly n?: number };
}

interface TextBody {
  readonly success?: boolean;
  readonly data?: TextData;
}

interface TextData {
  readonly text?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly toolCalls?: readonly unknown[];
  readonly toolResults?: readonly { readonly output?: { readonly city?: string } }[];
}

interface StreamEvent {
  readonly type?: string;
  readonly delta?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
}

function tokens(calls: number): number {
  return calls * (tokensPerCall.input + tokensPerCall.output);
}

function expect(holds: boolean, otherwise: string, seen: string): void {
  if (!holds) throw new WrongAnswerError(`${otherwise}: ${seen.slice(0, 300).replaceAll(/\s+/g, ' ')}`);
}
