import { expect, it } from 'vitest';
import { isPromptTooLong } from './prompt-too-long.ts';

it.each([
  'prompt is too long: 210000 tokens > 200000 maximum',
  'input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000, decrease input length or `max_tokens` and try again',
  'Your input exceeds the context window of this model. Please adjust your input and try again.',
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
  'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  'Input is too long for requested model.',
  "This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
  'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
  'the request exceeds the available context size, try increasing it',
  'The prompt is too long: 9000, model maximum context length: 8192',
  'too many tokens: total number of tokens in the prompt exceeds the limit of 4081',
])('knows the refusal of a prompt that is too long: %s', (message) => {
  expect(isPromptTooLong(Object.assign(new Error(message), { statusCode: 400 }))).toBe(true);
  // In a stream.
  expect(isPromptTooLong({ message, type: 'invalid_request_error' })).toBe(true);
});

it.each([
  ['a code', { code: 'context_length_exceeded', message: 'No.' }],
  ['a code in the data', { statusCode: 400, message: 'No.', data: { error: { code: 'context_length_exceeded' } } }],
  [
    'a reply that its package did not understand',
    { statusCode: 400, message: 'Bad Request', responseBody: '{"m":"Input is too long"}' },
  ],
])('reads %s', (_where, error) => {
  expect(isPromptTooLong(error)).toBe(true);
});

it.each([
  ['a limit of tokens per minute', { statusCode: 429, message: 'Request too large: too many tokens per minute' }],
  [
    'another refusal',
    { statusCode: 400, message: 'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens' },
  ],
  ['an invalid image', { statusCode: 400, message: 'Could not process image' }],
  ['a failure of the server', { statusCode: 500, message: 'The server had an error while processing your request' }],
  ['a text', 'prompt is too long'],
  ['nothing', undefined],
])('is not %s', (_what, error) => {
  expect(isPromptTooLong(error)).toBe(false);
});
