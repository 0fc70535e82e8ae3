import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, createTool, type Tool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import type { BodyLog } from './harness/body-log.ts';

export const lookups = 3;
const pieces = 8;
const pieceDelayMs = 60;
export const toolMs = 150;

/** The model's text before its call with this number, or, after the last one, at the end. */
function textBefore(call: number): string[] {
  return Array.from({ length: pieces }, (_, index) => `say-${call}-${index} `);
}

/** The texts of a complete answer, one for each step. */
export const wholeReply: readonly string[] = Array.from({ length: lookups + 1 }, (_, call) =>
  textBefore(call).join(''),
);

/**
 * The result of the tool. `attempt` is in the log entry of the call, and differs each time that it
 * is made.
 */
export interface Found {
  readonly found: number;
  readonly attempt: string;
}

/**
 * The call of an attempt. A client that asks again, because its answer has no stream, gets another
 * answer with calls of its own.
 */
export function callOf(attempt: string): string {
  return attempt.split(' ')[0] ?? '';
}

/**
 * Answers durably in four steps, and calls a tool after each of the first three. Each tool call is
 * logged when it starts.
 */
export function researcherOf(log: BodyLog): Agent {
  const lookUp: Tool = createTool({
    name: 'lookUp',
    description: 'Looks a number up',
    input: Type.Object({ number: Type.Integer() }),
    execute: async ({ number }, { conversationId = '', idempotencyKey }) => {
      const attempt = `${idempotencyKey} ${randomUUID()}`;
      log.write({ kind: 'start', execution: conversationId, path: `call-${number}`, attempt });
      await delay(toolMs);
      return { found: number * 7, attempt };
    },
  });
  return new Agent({
    id: 'researcher',
    durable: true,
    tools: [lookUp],
    model: scriptedModel(({ prompt }) => {
      const since = prompt.findLastIndex(({ role }) => role === 'user');
      const call = prompt.slice(since).filter(({ role }) => role === 'tool').length;
      const text = textBefore(call);
      if (call === lookups) return { text, pieceDelayMs };
      return {
        text,
        pieceDelayMs,
        toolCalls: [{ toolName: 'lookUp', toolCallId: `call-${call}`, input: { number: call } }],
      };
    }),
  });
}
