/** The first thing a person sees: where everything is, which model speaks, one order to place, and the script that plays both roles. */
export function startScreen(url: string, model: string, hint?: string): string {
  const lines = [
    '',
    '  Halyard is up, and takes orders.',
    '',
    `  Start page          ${url}/`,
    `  API explorer        ${url}/ui`,
    `  OpenAPI document    ${url}/doc`,
    `  Executions          ${url}/workflows/executions`,
    '',
    `  Model               ${model}`,
    ...(hint === undefined ? [] : [`                      ${hint}`]),
    '',
    '  Watch a customer and an approver, in another terminal:',
    '    npx pnpm@12 --filter @halyard/example-order-approval play',
    '',
    '  Or place an order yourself:',
    `    curl -N ${url}/workflows/order/stream -H 'content-type: application/json' -d '{"input":{"customer":"Ada","city":"Oslo","lines":[{"sku":"lamp","quantity":2}]}}'`,
    '',
  ];
  return lines.join('\n');
}
