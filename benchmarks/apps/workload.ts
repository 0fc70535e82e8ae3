/**
 * The workload that every app serves: one agent, one answer of 200 words, one tool, one workflow
 * with five steps.
 */

export const agentId = 'assistant';

const words = ['sail ', 'wind ', 'port ', 'deck ', 'mast ', 'helm ', 'knot ', 'tide ', 'crew ', 'rope '];

/** The 200 deltas of a stream, five characters each. */
export const deltas: readonly string[] = Array.from({ length: 200 }, (_, index) => words[index % words.length] ?? '');

/** All deltas joined. It is the answer of every call that does not stream. */
export const answerText: string = deltas.join('');

/**
 * The prompt selects the behaviour of the scripted model, so that one process serves every
 * scenario.
 */
export const prompts = {
  /** One delta per turn of the event loop, as with a fast network. */
  paced: 'Tell me about sailing.',
  /** All deltas at once. */
  burst: 'Tell me about sailing in a burst.',
  /** A tool call first, then the answer. */
  tool: 'What is the weather in Lisbon?',
  /** Answered correctly only if the model receives the earlier messages. */
  remembered: 'Tell me about sailing, as you did before.',
} as const;

export const userId = 'ada';

/** Signs the token of {@link userId}, for apps that require one. */
export const tokenSecret = 'a secret for the benchmarks alone, of enough bytes';

/** Conversations that exist when an app starts. Requests use them in turn. */
export const conversationIds: readonly string[] = Array.from({ length: 64 }, (_, index) => `conversation-${index}`);

/**
 * The number of earlier messages that the model receives at least: a prompt of Halyard has up to
 * half as many more. Each conversation starts with this number.
 */
export const historyLength = 10;

/** The initial messages of a conversation: alternating questions and answers. */
export const history: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[] = Array.from(
  { length: historyLength },
  (_, index) =>
    index % 2 === 0 ? { role: 'user', text: prompts.remembered } : { role: 'assistant', text: answerText },
);

export const weatherTool = {
  name: 'getWeather' as const,
  description: 'Current weather in a city',
  inputSchema: {
    type: 'object' as const,
    properties: { city: { type: 'string' as const } },
    required: ['city'],
    additionalProperties: false,
  },
};

export const weatherCall = { toolCallId: 'call-1', toolName: weatherTool.name, input: { city: 'Lisbon' } } as const;

export function weatherIn(city: string): { city: string; temperature: number; sky: string } {
  return { city, temperature: 21, sky: 'clear' };
}

/** The token usage that the scripted model reports for each call. */
export const tokensPerCall = { input: 20, output: 200 } as const;

export const workflowId = 'five';

/** Each step of the workflow adds one. */
export const workflowSteps = ['one', 'two', 'three', 'four', 'five'] as const;

export interface Count {
  readonly n: number;
}

export const workflowInput: Count = { n: 0 };

export function addOne({ n }: Count): Count {
  return { n: n + 1 };
}
