/**
 * The text that is printed at start: URLs, the model, the script that plays both roles, and a
 * command that places an order.
 */
export function startScreen(url: string, model: string, hint?: string): string {
  const lines = [
    '',
    '  Halyard is running and accepts orders.',
    '',
    `  Start page          ${url}/`,
    `  API explorer        ${url}/ui`,
    `  OpenAPI document    ${url}/doc`,
    `  Executions          ${url}/workflows/executions`,
    '',
    `  Model               ${model}`,
    ...(hint === undefined ? [] : [`                      ${hint}`]),
    '',
    '  Run a customer and an approver in another terminal:',
    '    npx pnpm@12 --filter @halyard/example-order-approval play',
    '',
    '  Or place an order yourself:',
    `    curl -N ${url}/workflows/order/stream -H 'content-type: application/json' -d '{"input":{"customer":"Ada","city":"Oslo","lines":[{"sku":"lamp","quantity":2}]}}'`,
    '',
  ];
  return lines.join('\n');
}
