import { Agent, type LanguageModel } from '@halyard/core';

export function createWriter(model: LanguageModel): Agent {
  return new Agent({
    id: 'writer',
    name: 'Writer',
    description: 'Writes to customers',
    instructions: 'You write short, kind letters to the customers of a shop.',
    model,
  });
}
