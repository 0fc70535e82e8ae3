/** Whether NODE_ENV says production, in any case and with blanks around it. */
export function isProduction(env: NodeJS.ProcessEnv = process.env): boolean {
  const name = env['NODE_ENV']?.trim().toLowerCase();
  return name === 'production' || name === 'prod';
}
