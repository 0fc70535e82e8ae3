import { checkOptionNames } from '@halyard/contracts';

/**
 * Checks that every function of `hooks` is a hook. Hooks may be an object with a state of its own,
 * so other fields are not checked.
 *
 * @throws ConfigurationError naming the unknown hook and the nearest one.
 */
export function checkHookNames(owner: string, hooks: object, known: Readonly<Record<string, true>>): void {
  const functions = Object.entries(hooks).filter(([, value]) => typeof value === 'function');
  checkOptionNames(`\`hooks\` of ${owner}`, Object.fromEntries(functions), known);
}
