/** US dollars for a million tokens. Look up the prices of your models at their providers. */
export const prices = {
  'gpt-5-nano': { input: 0.05, cachedInput: 0.005, output: 0.4 },
  'gpt-5-mini': { input: 0.25, cachedInput: 0.025, output: 2 },
  'gpt-5': { input: 1.25, cachedInput: 0.125, output: 10 },
  'claude-haiku-4-5': { input: 1, cachedInput: 0.1, output: 5 },
  'claude-sonnet-4-5': { input: 3, cachedInput: 0.3, output: 15 },
};
