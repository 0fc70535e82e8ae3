/** Whether NODE_ENV is `production` or `prod`, ignoring case and surrounding blanks. */
export function isProduction(env: NodeJS.ProcessEnv = process.env): boolean {
  return ['production', 'prod'].includes(toName(env));
}

/**
 * Whether a developer reads the log and the errors of this process: NODE_ENV is neither
 * `production` (or `prod`) nor `test`.
 */
export function isDevelopment(env: NodeJS.ProcessEnv = process.env): boolean {
  return !isProduction(env) && toName(env) !== 'test';
}

function toName(env: NodeJS.ProcessEnv): string {
  return env['NODE_ENV']?.trim().toLowerCase() ?? '';
}
