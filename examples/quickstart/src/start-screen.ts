/** The contents of the start screen. */
export interface StartInfo {
  readonly url: string;
  /** The name of the model. */
  readonly model: string;
  /** How to use another model. */
  readonly hint?: string;
  /** Where data is stored. */
  readonly memory: string;
}

/** The text that is printed at start: URLs, the model, the storage, and commands to try. */
export function startScreen({ hint, memory, model, url }: StartInfo): string {
  const lines = [
    '',
    '  Halyard is running.',
    '',
    `  Start page          ${url}/`,
    `  Chat                ${url}/chat`,
    `  Workflow            ${url}/expenses`,
    `  Console             ${url}/console`,
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
    '  The agent remembers earlier messages of a conversation:',
    ...['My boat is called Wanderer', 'What did I say?'].map(
      (input) =>
        `    curl -s ${url}/agents/assistant/text -H 'content-type: application/json' -d '${JSON.stringify({ input, options: { userId: 'ada', conversationId: 'boats' } })}'`,
    ),
    '',
  ];
  return lines.join('\n');
}
