import { agentId, answerText, deltas, tokensPerCall, weatherCall, workflowSteps } from '../apps/workload.ts';
import type { Answer } from './connection.ts';

/** The answer of an app is wrong, so its figures are not used. */
export class WrongAnswerError extends Error {
  override readonly name = 'WrongAnswerError';
}

/** Throws a WrongAnswerError unless the answer is complete and correct. */
export type AnswerCheck = (answer: Answer) => void;

export function isAgentList({ status, body }: Answer): void {
  expect(status === 200, `status ${status}`, body);
  const { success, data }: AgentListBody = JSON.parse(body);
  expect(success === true && data?.[0]?.id === agentId, 'the list does not contain the agent', body);
}

/** The newest 20 conversations of many. */
export function isConversationList({ status, body }: Answer): void {
  expect(status === 200, `status ${status}`, body);
  const { data }: { data?: { conversations?: readonly unknown[]; total?: number } } = JSON.parse(body);
  expect(data?.conversations?.length === 20, 'not 20 conversations', body);
  expect((data?.total ?? 0) > 1_000, 'the total is too small', body);
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

/** All deltas in order, and one `finish` event. */
export function isStream({ status, body }: Answer): void {
  expect(status === 200, `status ${status}`, body);
  let text = '';
  let count = 0;
  let finish: StreamEvent | undefined;
  for (const frame of body.split('\n\n')) {
    if (!frame.startsWith('data: ')) continue;
    const event: StreamEvent = JSON.parse(frame.slice('data: '.length));
    expect(event.type !== 'error', 'an error event occurred', frame);
    if (event.type === 'text-delta') {
      text += event.delta;
      count += 1;
    } else if (event.type === 'finish') finish = event;
  }
  expect(count === deltas.length, `${count} deltas instead of ${deltas.length}`, body);
  expect(text === answerText, 'the text is wrong', body);
  expect(finish?.finishReason === 'stop', 'no finish event with the reason stop', body.slice(-300));
  expect(finish?.usage?.totalTokens === tokens(1), 'the usage is wrong', body.slice(-300));
}

/** The result of the five steps. */
export function isRunResult({ status, body }: Answer): void {
  expect(status === 200, `status ${status}`, body);
  const { success, data }: RunBody = JSON.parse(body);
  expect(success === true && data?.status === 'completed', 'the run is not completed', body);
  expect(data?.result?.n === workflowSteps.length, 'the result is wrong', body);
}

/** All events of the five steps, numbered from 1. */
export function isRunStream({ status, body }: Answer): void {
  expect(status === 200, `status ${status}`, body);
  const frames = body.split('\n\n').filter((frame) => frame.startsWith('id: '));
  const wanted = 3 + 2 * workflowSteps.length;
  expect(frames.length === wanted, `${frames.length} events instead of ${wanted}`, body);
  for (const [index, frame] of frames.entries())
    expect(frame.startsWith(`id: ${index + 1}\n`), 'a gap in the event numbers', frame);
  const last: RunEvent = JSON.parse(frames.at(-1)?.split('data: ', 2)[1] ?? '{}');
  expect(
    last.type === 'workflow-result' && last.result?.n === workflowSteps.length,
    'the last event is not the result',
    body.slice(-300),
  );
}

function checkText({ status, body }: Answer, calls: number): TextData {
  expect(status === 200, `status ${status}`, body);
  const { success, data }: TextBody = JSON.parse(body);
  expect(success === true && data?.text === answerText, 'the text is wrong', body);
  expect(data?.finishReason === 'stop', 'no finish event with the reason stop', body);
  expect(data?.usage?.totalTokens === tokens(calls), 'the usage is wrong', body);
  return data ?? {};
}

// The expected shapes of answers. JSON.parse does not check them, so the checks compare every field
// that matters.

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

function expect(condition: boolean, problem: string, answer: string): void {
  if (!condition) throw new WrongAnswerError(`${problem}: ${answer.slice(0, 300).replaceAll(/\s+/g, ' ')}`);
}
