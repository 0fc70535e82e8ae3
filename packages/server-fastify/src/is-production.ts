/** Whether NODE_ENV is `production` or `prod`, ignoring case and surrounding blanks. */
export function isProduction(env: NodeJS.ProcessEnv = process.env): boolean {
  const name = env['NODE_ENV']?.trim().toLowerCase();
  return name === 'production' || name === 'prod';
}
