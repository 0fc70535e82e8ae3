/** The first thing a person sees: where everything is, which model speaks, and one command to try. */
export function startScreen(url: string, model: string, hint?: string): string {
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
    '',
    '  Try:',
    `    curl -s ${url}/agents/assistant/text -H 'content-type: application/json' -d '{"input":"What time is it in Tokyo?"}'`,
    '',
  ];
  return lines.join('\n');
}
