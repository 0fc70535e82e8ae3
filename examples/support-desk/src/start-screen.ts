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

/** The text that is printed at start: URLs, the model, the storage, and what to look at. */
export function startScreen({ hint, memory, model, url }: StartInfo): string {
  const lines = [
    '',
    '  The support desk is open.',
    '',
    `  Console             ${url}/console`,
    `  Start page          ${url}/`,
    `  API explorer        ${url}/ui`,
    '',
    `  Model               ${model}`,
    ...(hint === undefined ? [] : [`                      ${hint}`]),
    `  Memory              ${memory}`,
    '',
    '  Ask the front desk:',
    `    curl -s ${url}/agents/front-desk/text -H 'content-type: application/json' -d '{"input":"Track the parcel of order K-1042","options":{"userId":"ada.lindqvist"}}'`,
    '',
  ];
  return lines.join('\n');
}
