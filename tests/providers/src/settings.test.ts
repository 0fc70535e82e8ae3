import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { Agent, type LanguageModel } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import {
  openAnthropicWire,
  openGoogleWire,
  openOpenaiWire,
  type TextScript,
  type Wire,
} from '@halyard/test-openai-wire';
import { afterEach, describe, expect, it } from 'vitest';
import { createAgents } from '../../../examples/quickstart/src/agents.ts';
import { openaiModel } from './openai-models.ts';
import { recordingLogger, type RecordingLogger, warnedFeatures } from './recording-logger.ts';

interface Provider {
  readonly provider: string;
  readonly open: () => Promise<Pick<Wire<TextScript>, 'baseURL' | 'replyAlways' | 'requests' | 'close'>>;
  readonly model: (baseURL: string) => LanguageModel;
  /** The sent settings of an agent without settings. */
  readonly unset: object;
  /** The sent settings of an agent with the contract's defaults. */
  readonly defaults: object;
  /** The defaults that the provider package omits, each with a warning. */
  readonly dropped: readonly string[];
}

const providers: readonly Provider[] = [
  {
    provider: 'OpenAI responses, gpt-4.1',
    open: openOpenaiWire,
    model: (baseURL) => openaiModel('responses', { baseURL }),
    unset: {},
    defaults: { temperature: 0.7, top_p: 1, max_output_tokens: 4000 },
    dropped: ['presencePenalty', 'frequencyPenalty'],
  },
  {
    provider: 'OpenAI responses, gpt-5-mini',
    open: openOpenaiWire,
    model: (baseURL) => openaiModel('responses', { baseURL }, 'gpt-5-mini'),
    unset: {},
    defaults: { max_output_tokens: 4000 },
    dropped: ['presencePenalty', 'frequencyPenalty', 'temperature', 'topP'],
  },
  {
    provider: 'OpenAI chat, gpt-4.1',
    open: openOpenaiWire,
    model: (baseURL) => openaiModel('chat', { baseURL }),
    unset: {},
    defaults: { temperature: 0.7, top_p: 1, max_tokens: 4000, frequency_penalty: 0, presence_penalty: 0 },
    dropped: [],
  },
  {
    provider: 'OpenAI chat, gpt-5-mini',
    open: openOpenaiWire,
    model: (baseURL) => openaiModel('chat', { baseURL }, 'gpt-5-mini'),
    unset: {},
    defaults: { max_completion_tokens: 4000 },
    dropped: ['temperature', 'topP', 'frequencyPenalty', 'presencePenalty'],
  },
  {
    provider: 'Anthropic',
    open: openAnthropicWire,
    model: (baseURL) => createAnthropic({ baseURL, apiKey: 'test-key' })('claude-haiku-4-5'),
    unset: { max_tokens: 64_000 },
    defaults: { temperature: 0.7, max_tokens: 4000 },
    dropped: ['frequencyPenalty', 'presencePenalty', 'topP'],
  },
  {
    provider: 'Google, gemini-2.0-flash',
    open: openGoogleWire,
    model: (baseURL) => createGoogle({ baseURL, apiKey: 'test-key' })('gemini-2.0-flash'),
    unset: {},
    defaults: { temperature: 0.7, topP: 1, maxOutputTokens: 4000, frequencyPenalty: 0, presencePenalty: 0 },
    dropped: [],
  },
  {
    provider: 'Google, gemini-2.5-flash',
    open: openGoogleWire,
    model: (baseURL) => createGoogle({ baseURL, apiKey: 'test-key' })('gemini-2.5-flash'),
    unset: {},
    defaults: { temperature: 0.7, topP: 1, maxOutputTokens: 4000 },
    dropped: ['frequencyPenalty', 'presencePenalty'],
  },
];

let close = async (): Promise<void> => {};
afterEach(() => close());

describe.each(providers)('settings on $provider', ({ open, model, unset, defaults, dropped }) => {
  /** Runs the agent twice, each way; returns the request and the log. */
  async function ask(agentOf: (llm: LanguageModel) => Agent | undefined) {
    const wire = await open();
    close = () => wire.close();
    wire.replyAlways({ text: 'Hello' });
    const agent = agentOf(model(wire.baseURL));
    const logger: RecordingLogger = recordingLogger();
    for (const _ of ['once', 'again']) {
      await agent?.generateText('Hi', { services: { logger } });
      await (
        await agent?.streamText('Hi', { services: { logger } })
      )?.result;
    }
    expect(wire.requests).toHaveLength(4);
    return { sent: wire.requests.map(({ settings }) => settings), logger };
  }

  it.each(['assistant', 'concierge'])("the quickstart's %s sends none, without a warning", async (id) => {
    const { sent, logger } = await ask((llm) =>
      Object.values(createAgents(llm, createInMemoryStorage().workingMemory)).find((agent) => agent.id === id),
    );

    expect(sent).toEqual([unset, unset, unset, unset]);
    expect(logger.lines).toEqual([]);
  });

  it('an agent without settings sends the defaults of the contract, with one warning for each omitted one', async () => {
    const { sent, logger } = await ask((llm) => new Agent({ id: 'plain', model: llm }));

    expect(sent).toEqual([defaults, defaults, defaults, defaults]);
    expect(new Set(warnedFeatures(logger))).toEqual(new Set(dropped));
    expect(logger.lines).toHaveLength(dropped.length);
    for (const line of logger.lines) expect(line).toMatchObject({ level: 'warn', fields: { agentId: 'plain' } });
  });
});
