import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { Agent, type LanguageModel } from '@halyard/core';
import { generationDefaults, type InternalRunOptions } from '@halyard/core/server';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, describe, expect, it } from 'vitest';
import { createAgents } from '../../../../examples/quickstart/src/agents.ts';
import { openAnthropicWire, openGoogleWire, openOpenaiWire, type ReplyScript, type Wire } from '../wire/index.ts';
import { openaiModel } from './openai-models.ts';
import { recordingLogger, type RecordingLogger } from './recording-logger.ts';

interface Provider {
  readonly provider: string;
  readonly open: () => Promise<Pick<Wire<ReplyScript>, 'baseURL' | 'replyAlways' | 'requests' | 'close'>>;
  readonly model: (baseURL: string) => LanguageModel;
  /** The sent settings of an agent without settings. */
  readonly unset: object;
  /**
   * The defaults of the contract that are sent: provider packages omit those that the model
   * refuses.
   */
  readonly defaults: object;
}

const providers: readonly Provider[] = [
  {
    provider: 'OpenAI responses, gpt-4.1',
    open: openOpenaiWire,
    model: (baseURL) => openaiModel('responses', { baseURL }),
    unset: {},
    defaults: { temperature: 0.7, top_p: 1, max_output_tokens: 4000 },
  },
  {
    provider: 'OpenAI responses, gpt-5-mini',
    open: openOpenaiWire,
    model: (baseURL) => openaiModel('responses', { baseURL }, 'gpt-5-mini'),
    unset: {},
    defaults: {},
  },
  {
    provider: 'OpenAI chat, gpt-4.1',
    open: openOpenaiWire,
    model: (baseURL) => openaiModel('chat', { baseURL }),
    unset: {},
    defaults: { temperature: 0.7, top_p: 1, max_tokens: 4000, frequency_penalty: 0, presence_penalty: 0 },
  },
  {
    provider: 'OpenAI chat, gpt-5-mini',
    open: openOpenaiWire,
    model: (baseURL) => openaiModel('chat', { baseURL }, 'gpt-5-mini'),
    unset: {},
    defaults: {},
  },
  {
    provider: 'Anthropic',
    open: openAnthropicWire,
    model: (baseURL) => createAnthropic({ baseURL, apiKey: 'test-key' })('claude-haiku-4-5'),
    unset: { max_tokens: 64_000 },
    defaults: { temperature: 0.7, max_tokens: 4000 },
  },
  {
    provider: 'Google, gemini-2.0-flash',
    open: openGoogleWire,
    model: (baseURL) => createGoogle({ baseURL, apiKey: 'test-key' })('gemini-2.0-flash'),
    unset: {},
    defaults: { temperature: 0.7, topP: 1, maxOutputTokens: 4000, frequencyPenalty: 0, presencePenalty: 0 },
  },
  {
    provider: 'Google, gemini-2.5-flash',
    open: openGoogleWire,
    model: (baseURL) => createGoogle({ baseURL, apiKey: 'test-key' })('gemini-2.5-flash'),
    unset: {},
    defaults: {},
  },
];

let close = async (): Promise<void> => {};
afterEach(() => close());

describe.each(providers)('settings on $provider', ({ open, model, unset, defaults }) => {
  /** Runs the agent twice, each way; returns the request and the log. */
  async function ask(agentOf: (llm: LanguageModel) => Agent | undefined, options: InternalRunOptions = {}) {
    const wire = await open();
    close = () => wire.close();
    wire.replyAlways({ text: 'Hello' });
    const agent = agentOf(model(wire.baseURL));
    const logger: RecordingLogger = recordingLogger();
    for (const _ of ['once', 'again']) {
      await agent?.generateText('Hi', { ...options, services: { logger } });
      await (
        await agent?.streamText('Hi', { ...options, services: { logger } })
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

  it('an agent without settings sends none', async () => {
    const { sent, logger } = await ask((llm) => new Agent({ id: 'plain', model: llm }));

    expect(sent).toEqual([unset, unset, unset, unset]);
    expect(logger.lines).toEqual([]);
  });

  it('a request over HTTP sends the defaults of the contract that the model accepts, without a warning', async () => {
    const { sent, logger } = await ask((llm) => new Agent({ id: 'plain', model: llm }), { generationDefaults });

    expect(sent).toEqual([defaults, defaults, defaults, defaults]);
    expect(logger.lines).toEqual([]);
  });
});
