/** Whether a developer reads the errors of this process: NODE_ENV is neither `production` (or `prod`) nor `test`. */
export function isDevelopment(env: NodeJS.ProcessEnv = process.env): boolean {
  const name = env['NODE_ENV']?.trim().toLowerCase() ?? '';
  return !['production', 'prod', 'test'].includes(name);
}
