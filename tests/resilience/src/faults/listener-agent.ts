import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';

export const answerMs = 150;

/** A question to which the answer takes a minute. */
export const slowQuestion = 'a slow question';

/** An agent that answers with the number of messages before the question. */
export const listener: Agent = new Agent({
  id: 'listener',
  model: scriptedModel(({ prompt }) => {
    const isSlow = JSON.stringify(prompt.at(-1)).includes(slowQuestion);
    return { text: String(prompt.length - 1), delayMs: isSlow ? 60_000 : answerMs };
  }),
});
