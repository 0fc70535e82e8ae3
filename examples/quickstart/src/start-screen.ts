/** What the start screen tells. */
export interface Started {
  readonly url: string;
  /** Name of the model. */
  readonly model: string;
  /** How to get another model. */
  readonly hint?: string;
  /** Where everything is kept. */
  readonly memory: string;
}

/** The first thing a person sees: where everything is, which model speaks, and two commands to try. */
export function startScreen({ hint, memory, model, url }: Started): string {
  const lines = [
    '',
    '  Halyard is up.',
    '',
    `  Chat in a browser   ${url}/chat`,
    `  Start page          ${url}/`,
    `  API explorer        ${url}/ui`,
    `  OpenAPI document    ${url}/doc`,
    '',
    `  Model               ${model}`,
    ...(hint === undefined ? [] : [`                      ${hint}`]),
    `  Memory              ${memory}`,
    '',
    '  Try:',
    `    curl -s ${url}/agents/assistant/text -H 'content-type: application/json' -d '{"input":"What time is it in Tokyo?"}'`,
    '',
    '  It remembers what a user says in a conversation:',
    ...['My boat is called Wanderer', 'What did I say?'].map(
      (input) =>
        `    curl -s ${url}/agents/assistant/text -H 'content-type: application/json' -d '${JSON.stringify({ input, options: { userId: 'ada', conversationId: 'boats' } })}'`,
    ),
    '',
  ];
  return lines.join('\n');
}
